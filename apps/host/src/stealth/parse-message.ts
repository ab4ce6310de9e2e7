/** Larger messages of clients are never parsed: others wait meanwhile. Only a script of a client is that large. */
export const maxParsedBytes = 2 ** 19;

/** Nor are larger answers and events, where a page decides how large they are. */
export const maxBrowserBytes = 4 * 2 ** 20;

/** Returns undefined for what is no JSON object, or too large to be parsed. */
export function parseMessage<T extends object>(message: Buffer, maxBytes: number): T | undefined {
  if (message.length > maxBytes) return undefined;
  try {
    const value: unknown = JSON.parse(message.toString());
    return typeof value === 'object' && value !== null ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}
