import { filesDirectory } from '../sandbox/inside-paths.ts';
import { searchedBytes } from './concerns-host.ts';

const methodPattern = /"(?:Browser|Page)\.setDownloadBehavior"/;

/** Parameters of this message are a few short strings. A longer one passes as it is, unparsed. */
const maxParsedBytes = 64 * 1024;

/** The behaviours that name a directory. */
const behaviors: Readonly<Record<string, readonly unknown[]>> = {
  'Browser.setDownloadBehavior': ['allow', 'allowAndName'],
  'Page.setDownloadBehavior': ['allow'],
};

/**
 * The same parameters with the session's files as the directory: a path of the client's own machine means nothing
 * here, and names say more than ids. Undefined: the message says nothing of a directory, or is not well-formed, and
 * passes as it is.
 */
export function intoFiles(method: string, params: unknown): object | undefined {
  const { behavior, browserContextId, eventsEnabled } = (params ?? {}) as Record<string, unknown>;
  if (!behaviors[method]?.includes(behavior) || isObject(browserContextId) || isObject(eventsEnabled)) {
    return undefined;
  }
  return { behavior: 'allow', browserContextId, eventsEnabled, downloadPath: filesDirectory };
}

/** A message to a session, with the session's files as the directory of downloads where it names one. */
export function withFilesDirectory(message: Buffer): Buffer {
  if (message.length > maxParsedBytes) return message;
  if (!methodPattern.test(message.toString('latin1', 0, searchedBytes))) return message;
  try {
    const { id, method, params, sessionId } = JSON.parse(message.toString()) as Record<string, unknown>;
    const reworded = typeof method === 'string' ? intoFiles(method, params) : undefined;
    if (!reworded || isObject(id) || isObject(sessionId)) return message;
    return Buffer.from(JSON.stringify({ id, method, params: reworded, sessionId }));
  } catch {
    return message; // Chromium says what is wrong with it.
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
