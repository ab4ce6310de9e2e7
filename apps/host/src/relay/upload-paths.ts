import { posix } from 'node:path';
import { filesDirectory, temporaryDirectory } from '../sandbox/inside-paths.ts';

/** Where a method's parameters have the paths of files for a page, or of an extension. */
const pathsIn: ReadonlyMap<string, (params: Record<string, unknown>) => unknown> = new Map([
  ['DOM.setFileInputFiles', ({ files }) => files],
  ['Extensions.loadUnpacked', ({ path }) => [path]],
  ['Input.dispatchDragEvent', ({ data }) => (data as { files?: unknown } | null | undefined)?.files],
]);

export const givesFiles = (method: string): boolean => pathsIn.has(method);

/**
 * Says why a page cannot get the files that a client names, if they are not the session's. Chromium takes any path, and
 * the page then waits for a file that it cannot read. Returns undefined if the parameters name no such file or are not
 * well-formed: then they pass as they are.
 */
export function unreachableFile(method: string, params: Record<string, unknown>): string | undefined {
  const paths = pathsIn.get(method)?.(params);
  if (!Array.isArray(paths)) return undefined;
  const wrong = paths.find((path) => typeof path === 'string' && !isInFiles(path));
  if (wrong === undefined) return undefined;
  return `The browser cannot read ${JSON.stringify(shortened(wrong))}, which is not in this session. Upload the file with the files API and pass ${filesDirectory}/<name>.`;
}

/**
 * Whether it is in the session's files, or where workers write files of their clients. The directories themselves count
 * too: an input for directories takes them.
 */
function isInFiles(path: string): boolean {
  const normal = `${posix.normalize(path)}/`;
  return normal.startsWith(`${filesDirectory}/`) || normal.startsWith(`${temporaryDirectory}/`);
}

function shortened(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
