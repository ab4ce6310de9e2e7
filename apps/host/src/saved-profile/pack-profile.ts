import { once } from 'node:events';
import { constants, type FileHandle, open, readdir } from 'node:fs/promises';
import { createGzip } from 'node:zlib';
import { inside, openDirectory } from '../sandbox/open-directory.ts';
import type { KeptFiles } from './kept-files.ts';
import { padding, tarEnd, tarHeader } from './tar-header.ts';

/** Chromium's own directories are up to eight deep. */
const maxDepth = 12;

/** The archive is larger than allowed. */
export class ArchiveTooLarge extends Error {}

/**
 * Packs some files of a profile as a compressed tar. A hostile browser may have changed its directory: no link is
 * followed, and only files and directories are packed.
 */
export async function packProfile(
  directory: FileHandle,
  kept: KeptFiles,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  return await compress(archive(directory, kept), maxBytes, signal);
}

/** Reads the same files without compressing them: for as long as their browser stands still. */
export async function readFiles(
  directory: FileHandle,
  kept: KeptFiles,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  let bytes = 0;
  for await (const block of archive(directory, kept)) {
    signal.throwIfAborted();
    bytes += block.length;
    if (bytes > maxBytes) throw new ArchiveTooLarge();
    blocks.push(block);
  }
  return blocks;
}

/** Compresses the blocks of an archive. */
export async function compress(
  blocks: AsyncIterable<Buffer> | Iterable<Buffer>,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const gzip = createGzip();
  const chunks: Buffer[] = [];
  let bytes = 0;
  gzip.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
  });
  const ended = once(gzip, 'end');
  ended.catch(() => {}); // Awaited below, unless packing fails first.
  try {
    // No pipeline: the generator closes its files before this returns or throws.
    for await (const block of blocks) {
      signal.throwIfAborted();
      if (bytes > maxBytes) throw new ArchiveTooLarge();
      if (!gzip.write(block)) await once(gzip, 'drain', { signal });
    }
    gzip.end();
    await ended;
    if (bytes > maxBytes) throw new ArchiveTooLarge();
    return Buffer.concat(chunks);
  } finally {
    gzip.destroy();
  }
}

async function* archive(directory: FileHandle, kept: KeptFiles): AsyncGenerator<Buffer> {
  yield* entries(directory, kept, '', 1);
  yield tarEnd;
}

async function* entries(
  directory: FileHandle,
  kept: KeptFiles,
  parent: string,
  depth: number,
): AsyncGenerator<Buffer> {
  for (const name of (await readdir(inside(directory))).sort()) {
    const path = `${parent}${name}`;
    if (!kept.mayHold(path)) continue;
    const below = await openDirectory(inside(directory, name)).catch(() => undefined);
    if (below) {
      await using held = below;
      yield tarHeader({ path: `${path}/`, kind: 'directory', bytes: 0 });
      if (depth < maxDepth) yield* entries(held, kept, `${path}/`, depth + 1);
    } else if (kept.has(path)) yield* file(inside(directory, name), path);
  }
}

async function* file(at: string, path: string): AsyncGenerator<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  // Non-blocking: it may be a pipe.
  const handle = await open(at, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (!handle) return;
  await using held = handle;
  const stat = await held.stat();
  if (!stat.isFile()) return;
  yield tarHeader({ path, kind: 'file', bytes: stat.size });
  let left = stat.size;
  while (left > 0) {
    const { bytesRead, buffer } = await held.read({ buffer: Buffer.allocUnsafe(Math.min(left, 2 ** 16)) });
    if (bytesRead === 0) throw new Error(`${path} became shorter`);
    left -= bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
  yield padding(stat.size);
}
