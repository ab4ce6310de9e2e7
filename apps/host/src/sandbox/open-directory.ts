import { constants, type FileHandle, open } from 'node:fs/promises';

/**
 * A directory that a hostile browser may have filled with links to files of the host. It is opened without following
 * one, and so is what `inside` names, as long as whoever opens that follows none either.
 */
export function openDirectory(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** A name, without a slash, in a directory that is open. */
export function inside({ fd }: FileHandle, name = ''): string {
  return `/proc/self/fd/${fd}/${name}`;
}
