import { filesDirectory } from '../sandbox/inside-paths.ts';

/** The behaviors that name a directory, by method. */
const behaviors: ReadonlyMap<string, readonly unknown[]> = new Map([
  ['Browser.setDownloadBehavior', ['allow', 'allowAndName']],
  ['Page.setDownloadBehavior', ['allow']],
]);

export const setsDownloadBehavior = (method: string): boolean => behaviors.has(method);

/**
 * Returns the same parameters with the session's files as the directory, and files under their own names: a path on the
 * client's machine means nothing here. Returns undefined if they name no directory or are not well-formed: then they
 * pass as they are.
 */
export function downloadToFiles(method: string, params: Record<string, unknown>): object | undefined {
  const { behavior, browserContextId, eventsEnabled } = params;
  if (!behaviors.get(method)?.includes(behavior)) return undefined;
  if (isObject(browserContextId) || isObject(eventsEnabled)) return undefined;
  return { behavior: 'allow', browserContextId, eventsEnabled, downloadPath: filesDirectory };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
