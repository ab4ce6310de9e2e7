import type { DetectableStrings } from './detectable-strings.ts';
import { maxParsedBytes } from './parse-message.ts';

/** Bring a client's source into the page. By the parameter that names a context by its number. */
const sourceMethods: ReadonlyMap<string, string> = new Map([
  ['Runtime.evaluate', 'contextId'],
  ['Runtime.callFunctionOn', 'executionContextId'],
  ['Runtime.compileScript', 'executionContextId'],
]);
const uniqueContextId = /"uniqueContextId":\s*"(\d+)\.0"/;

export const bringsSource = (method: string): boolean => sourceMethods.has(method);

/** Hides what pages could detect in a client's source, and names its context as Chromium knows it. */
export function hideInSource(
  message: Buffer,
  method: string,
  strings: DetectableStrings,
): Buffer | undefined {
  const hidden = strings.hide(message);
  if (message.length > maxParsedBytes || !message.includes('"uniqueContextId"')) return hidden;
  const text = (hidden ?? message).toString();
  return Buffer.from(text.replace(uniqueContextId, `"${sourceMethods.get(method)}":$1`));
}
