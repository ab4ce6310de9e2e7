import { constants, type FileHandle, open } from 'node:fs/promises';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * A directory that a hostile browser may have filled with links to files of the host. It is opened without following
 * one, and so is what `inside` names, as long as whoever opens that follows none either.
 */
export function openDirectory(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** A directory below one that is open, without following a link anywhere on the way. */
export async function openBelow(directory: FileHandle, path: string): Promise<FileHandle> {
  const [name = '', ...rest] = path.split('/').filter(Boolean);
  const below = await openDirectory(inside(directory, name));
  if (rest.length === 0) return below;
  await using onTheWay = below;
  return await openBelow(onTheWay, rest.join('/'));
}

/** The root directory of a process, which may be another than the host's. */
export function openRootOf(pid: number): Promise<FileHandle> {
  return open(`/proc/${pid}/root`, O_RDONLY | O_DIRECTORY);
}

/** A name, without a slash, in a directory that is open. */
export function inside({ fd }: FileHandle, name = ''): string {
  return `/proc/self/fd/${fd}/${name}`;
}
