import { createReadStream, createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';

/** The few parts of PKWARE's APPNOTE that clients use: stored and deflated files, without encryption and ZIP64. */

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const fileSignature = 0x04034b50;
const endBytes = 22;
const maxComment = 0xffff;
const maxDirectoryBytes = 4 * 2 ** 20;
const maxEntries = 1000;

export interface ZipEntry {
  /** With slashes, none at its ends. */
  path: string;
  method: number;
  compressedBytes: number;
  /** Where its local header begins. */
  offset: number;
}

/** The archive is not one that can be unpacked. */
export class WrongZip extends Error {}

/** Unpacks an archive below a directory, and returns the name of the one entry at its top. */
export async function unpack(archive: string, directory: string): Promise<string> {
  await using file = await open(archive);
  const entries = await entriesOf(file);
  const [top, ...others] = new Set(entries.map(({ path }) => path.split('/')[0]));
  if (top === undefined || others.length > 0)
    throw new WrongZip('The archive must have one file or one directory.');
  for (const entry of entries) {
    const target = join(directory, entry.path);
    await mkdir(dirname(target), { recursive: true });
    const start = await contentOffset(file, entry);
    // `end` is inclusive, so an empty file has none.
    const end = start + entry.compressedBytes - 1;
    const content = entry.compressedBytes === 0 ? [] : createReadStream(archive, { start, end });
    const output = createWriteStream(target, { flags: 'wx', mode: 0o600 });
    if (entry.method === 0) await pipeline(content, output);
    else await pipeline(content, createInflateRaw(), output);
  }
  return top;
}

async function entriesOf(file: FileHandle): Promise<ZipEntry[]> {
  const { size } = await file.stat();
  const tail = await readAt(
    file,
    Math.max(0, size - endBytes - maxComment),
    Math.min(size, endBytes + maxComment),
  );
  const at = tail.lastIndexOf(Buffer.from([0x50, 0x4b, 0x05, 0x06]));
  if (at === -1 || at + endBytes > tail.length || tail.readUInt32LE(at) !== endSignature)
    throw new WrongZip('This is not a ZIP archive.');
  const count = tail.readUInt16LE(at + 10);
  const bytes = tail.readUInt32LE(at + 12);
  const offset = tail.readUInt32LE(at + 16);
  if (count > maxEntries || bytes > maxDirectoryBytes)
    throw new WrongZip(`The archive has more than ${maxEntries} files, or needs ZIP64.`);
  return parseEntries(await readAt(file, offset, bytes), count);
}

/** Reads the central directory. Directories are left out. */
export function parseEntries(directory: Buffer, count: number): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  for (let read = 0; read < count; read += 1) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature)
      throw new WrongZip('The archive is damaged.');
    const nameBytes = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes);
    const entry = {
      path: name,
      method: directory.readUInt16LE(at + 10),
      compressedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    };
    const isEncrypted = (directory.readUInt16LE(at + 8) & 1) === 1;
    if (!name.endsWith('/')) entries.push(checked(entry, isEncrypted));
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

function checked(entry: ZipEntry, isEncrypted: boolean): ZipEntry {
  if (isEncrypted || (entry.method !== 0 && entry.method !== 8))
    throw new WrongZip('The archive may have stored and deflated files only, without a password.');
  if (entry.compressedBytes === 0xffffffff || entry.offset === 0xffffffff)
    throw new WrongZip('The archive needs ZIP64.');
  const isBelow = entry.path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isBelow || entry.path.includes('\0')) throw new WrongZip('The archive has a file outside of itself.');
  return entry;
}

async function contentOffset(file: FileHandle, { offset }: ZipEntry): Promise<number> {
  const header = await readAt(file, offset, 30);
  if (header.length < 30 || header.readUInt32LE(0) !== fileSignature)
    throw new WrongZip('The archive is damaged.');
  return offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  return buffer.subarray(0, bytesRead);
}

/** The bytes of an archive with one stored file. It is read twice, so that nothing is held. */
export async function* zipOf(path: string, name: string): AsyncGenerator<Buffer> {
  let checksum = 0;
  let bytes = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    checksum = crc32(chunk, checksum);
    bytes += chunk.length;
  }
  const nameBytes = Buffer.from(name);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0); // The version that is needed.
  fields.writeUInt16LE(0x0800, 2); // The name is UTF-8.
  fields.writeUInt16LE(0x21, 8); // The first day that there is.
  fields.writeUInt32LE(checksum, 10);
  fields.writeUInt32LE(bytes, 14);
  fields.writeUInt32LE(bytes, 18);
  fields.writeUInt16LE(nameBytes.length, 22);
  yield Buffer.concat([signature(fileSignature), fields, nameBytes]);
  let left = bytes;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    // Not more than was counted, should the file grow meanwhile.
    yield chunk.subarray(0, left);
    left -= Math.min(left, chunk.length);
  }
  const made = Buffer.from([20, 0]);
  const entry = Buffer.concat([signature(entrySignature), made, fields, Buffer.alloc(14), nameBytes]);
  const end = Buffer.alloc(endBytes);
  end.writeUInt32LE(endSignature, 0);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(30 + nameBytes.length + bytes, 16);
  yield Buffer.concat([entry, end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
