import { closeSync, constants, mkdirSync, openSync, writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { posix } from 'node:path';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { ExtensionFile, ExtensionRequest } from '@turnpike/contract/host';
import { Slices } from '@turnpike/process/work/slices';
import { asUser } from '../sandbox/as-user.ts';
import { inside } from '../sandbox/open-directory.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const toCreate = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
const pieceBytes = 2 ** 20;
const inflate = promisify(inflateRaw);

/**
 * Writes an extension's files into a new directory, which is open. Gateways have checked them; a path that leads out of
 * the directory, or a file that is larger than it says, is refused here once more. Nothing of a tenant may have run in
 * this browser, so that no path can lead through a link.
 */
export async function writeExtension(
  directory: FileHandle,
  { files }: Pick<ExtensionRequest, 'files'>,
  uid: number | undefined,
): Promise<void> {
  const slices = new Slices();
  const made = new Set<string>();
  for (const file of files) {
    const path = checkedPath(file.path);
    const content = await contentOf(file);
    makeParents(directory, path, made, uid);
    await writeFile(inside(directory, path), content, uid, slices);
  }
}

function checkedPath(path: string): string {
  const isPlain = path === posix.normalize(path) && !path.startsWith('/') && !path.endsWith('/');
  if (!isPlain || path === '.' || path.split('/')[0] === '..' || path.includes('\0'))
    throw new Error('a path leads out of it');
  return path;
}

async function contentOf({ bytes, isDeflated, content }: ExtensionFile): Promise<Buffer> {
  const packed = Buffer.from(content, 'base64');
  // One byte at least, which is the smallest bound that zlib takes.
  const unpacked = isDeflated ? await inflate(packed, { maxOutputLength: Math.max(1, bytes) }) : packed;
  if (unpacked.length !== bytes) throw new Error('a file is damaged');
  return unpacked;
}

function makeParents(directory: FileHandle, path: string, made: Set<string>, uid: number | undefined): void {
  for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
    const parent = path.slice(0, at);
    if (made.has(parent)) continue;
    asUser(uid, () => mkdirSync(inside(directory, parent), 0o700));
    made.add(parent);
  }
}

/** Writes as the session's user, which only synchronous calls can, and lets others be served between two pieces. */
async function writeFile(
  path: string,
  content: Buffer,
  uid: number | undefined,
  slices: Slices,
): Promise<void> {
  const descriptor = asUser(uid, () => openSync(path, toCreate, 0o600));
  try {
    for (let at = 0; at < content.length; ) {
      at += writeSync(descriptor, content, at, Math.min(pieceBytes, content.length - at));
      await slices.pause();
    }
    await slices.pause();
  } finally {
    closeSync(descriptor);
  }
}
