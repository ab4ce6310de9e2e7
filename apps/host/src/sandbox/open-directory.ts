import { once } from 'node:events';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';

/** Opens a path without opening its file. Node has no constant for it. */
const O_PATH = 0o10000000;
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

/**
 * Opens a directory that a hostile browser may have filled with links to files of the host, without following a link.
 * Open paths from `inside` with O_NOFOLLOW too.
 */
export function openDirectory(path: string): Promise<FileHandle> {
  return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

/** Opens a directory below an open one, without following any link. */
export async function openBelow(directory: FileHandle, path: string): Promise<FileHandle> {
  const [name = '', ...rest] = path.split('/').filter(Boolean);
  const below = await openDirectory(inside(directory, name));
  if (rest.length === 0) return below;
  await using parent = below;
  return await openBelow(parent, rest.join('/'));
}

/** Opens the root directory of a process, which may differ from the host's. */
export function openRootOf(pid: number): Promise<FileHandle> {
  return open(`/proc/${pid}/root`, O_RDONLY | O_DIRECTORY);
}

/** The path of a name, without a slash, in an open directory. */
export function inside({ fd }: FileHandle, name = ''): string {
  return `/proc/self/fd/${fd}/${name}`;
}

/** Connects to a socket in an open directory, without following a link. */
export async function connectBelow(
  directory: FileHandle,
  name: string,
  signal: AbortSignal,
): Promise<Socket> {
  await using file = await open(inside(directory, name), O_PATH | O_NOFOLLOW);
  return await connectTo(`/proc/self/fd/${file.fd}`, signal);
}

export async function connectTo(path: string, signal: AbortSignal): Promise<Socket> {
  const socket = connect(path);
  socket.on('error', () => {}); // Reads fail with it.
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}
