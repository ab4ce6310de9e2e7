import { posix } from 'node:path';
import { filesDirectory } from '../sandbox/inside-paths.ts';
import { searchedBytes } from './concerns-host.ts';

const methodPattern = /"(?:DOM\.setFileInputFiles|Input\.dispatchDragEvent)"/;

/** Parameters of these messages are a few paths. A longer one passes as it is, unparsed. */
const maxParsedBytes = 64 * 1024;

/** The paths of files that a message gives a page. */
const pathsIn: ReadonlyMap<string, (params: Record<string, unknown>) => unknown> = new Map([
  ['DOM.setFileInputFiles', ({ files }) => files],
  ['Input.dispatchDragEvent', ({ data }) => (data as { files?: unknown } | null | undefined)?.files],
]);

export const givesFiles = (method: string): boolean => pathsIn.has(method);

/**
 * Says why a page cannot get the files that a client names, where they are not the session's. Chromium takes any
 * path, and the page then has a file that cannot be read: whoever waits for it waits until a deadline. Undefined:
 * the message names no such file, or is not well-formed, and passes as it is.
 */
export function unreachableFile(method: string, params: unknown): string | undefined {
  const paths = pathsIn.get(method)?.((params ?? {}) as Record<string, unknown>);
  if (!Array.isArray(paths)) return undefined;
  const wrong = paths.find((path) => typeof path === 'string' && !isInFiles(path));
  if (wrong === undefined) return undefined;
  return `The browser cannot read ${JSON.stringify(shortened(wrong))}, which is not in this session. Upload the file with the files API and pass ${filesDirectory}/<name>.`;
}

/** The answer to a message for a session that names such a file, in Chromium's shape. */
export function answerToUpload(message: Buffer): string | undefined {
  if (message.length > maxParsedBytes) return undefined;
  if (!methodPattern.test(message.toString('latin1', 0, searchedBytes))) return undefined;
  try {
    const { id, method, params, sessionId } = JSON.parse(message.toString()) as Record<string, unknown>;
    if (typeof method !== 'string' || !Number.isInteger(id)) return undefined;
    const reason = unreachableFile(method, params);
    return reason && JSON.stringify({ id, error: { code: -32602, message: reason }, sessionId });
  } catch {
    return undefined; // Chromium says what is wrong with it.
  }
}

/** The directory itself is what an input for directories takes. */
function isInFiles(path: string): boolean {
  return `${posix.normalize(path)}/`.startsWith(`${filesDirectory}/`);
}

function shortened(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
