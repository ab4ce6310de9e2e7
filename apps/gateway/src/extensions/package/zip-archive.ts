import { promisify } from 'node:util';
import { crc32, inflateRaw } from 'node:zlib';
import { maxPackageFiles, maxUnpackedBytes } from '@turnpike/contract/extension';
import { Slices } from '@turnpike/process/work/slices';
import { PackageError } from './package-error.ts';
import { pathTrouble } from './package-path.ts';

/**
 * Reads zip archives. Written here because libraries (yauzl, fflate) leave the checks to their caller, and the checks
 * are most of it: nothing is unpacked before all sizes and paths are known to be within their bounds.
 */

/** A file in an archive, still packed. */
export interface ZipFile {
  /** Relative, with slashes. */
  path: string;
  /** Its size, unpacked. */
  bytes: number;
  crc: number;
  /** Whether it is compressed, in the raw DEFLATE format. */
  isDeflated: boolean;
  /** A part of the archive's bytes. */
  packed: Buffer;
}

const signatures = { end: 0x06054b50, entry: 0x02014b50, local: 0x04034b50 } as const;
const sizes = { end: 22, entry: 46, local: 30 } as const;
const endSignature = Buffer.from([0x50, 0x4b, 0x05, 0x06]);
const maxCommentBytes = 0xffff;
const methods = { stored: 0, deflated: 8 } as const;
const encryptedFlag = 1;
/** The kind of file in the upper half of an entry's attributes, as in a Unix mode. */
const kinds = { mask: 0xf000, none: 0, file: 0x8000, directory: 0x4000 } as const;

/** What macOS adds, and Chrome's Web Store: Chromium loads no extension from a directory with these. */
const leftOut = /^(?:__MACOSX|_metadata)(?:\/|$)/;

/** Lists the files of an archive. Directories are in their paths. Takes time in proportion to the list's length. */
export function readZip(archive: Buffer): ZipFile[] {
  const { count, start, end } = findList(archive);
  const files: ZipFile[] = [];
  let at = start;
  let unpackedBytes = 0;
  let packedBytes = 0;
  for (let i = 0; i < count; i++) {
    const entry = readEntry(archive, at, end);
    at = entry.next;
    if (entry.isLeftOut) continue;
    unpackedBytes += entry.bytes;
    packedBytes += entry.packedBytes;
    if (unpackedBytes > maxUnpackedBytes)
      throw new PackageError(`Its files must be at most ${maxUnpackedBytes} bytes, unpacked.`);
    // Files that share their content are the other way to make a small archive large.
    if (packedBytes > archive.length) throw new PackageError('Files of the archive overlap.');
    files.push({
      path: entry.path,
      bytes: entry.bytes,
      crc: entry.crc,
      isDeflated: entry.isDeflated,
      packed: contentOf(archive, entry, start),
    });
  }
  checkPaths(files);
  return files;
}

const inflate = promisify(inflateRaw);

/** Unpacks a file, and checks that it is what the archive says of it. */
export async function unpack({ path, packed, bytes, crc, isDeflated }: ZipFile): Promise<Buffer> {
  const damaged = () => new PackageError(`The file ${path} is damaged.`);
  let content = packed;
  if (isDeflated) {
    // One byte at least, which is the smallest bound that zlib takes.
    content = await inflate(packed, { maxOutputLength: Math.max(1, bytes) }).catch(() => {
      throw damaged();
    });
  }
  if (content.length !== bytes || (await checksum(content)) !== crc) throw damaged();
  return content;
}

const pieceBytes = 2 ** 20;

async function checksum(content: Buffer): Promise<number> {
  const slices = new Slices();
  let sum = 0;
  for (let at = 0; at < content.length; at += pieceBytes) {
    sum = crc32(content.subarray(at, at + pieceBytes), sum);
    await slices.pause();
  }
  return sum;
}

/** Finds the list of files, whose place is at the end of the archive, before a comment. */
function findList(archive: Buffer): { count: number; start: number; end: number } {
  const first = Math.max(0, archive.length - sizes.end - maxCommentBytes);
  let at = archive.lastIndexOf(endSignature);
  while (at >= first && !isEnd(archive, at)) at = at === 0 ? -1 : archive.lastIndexOf(endSignature, at - 1);
  if (at < first) throw new PackageError('It must be a zip or crx file.');
  const [disk, listDisk] = [archive.readUInt16LE(at + 4), archive.readUInt16LE(at + 6)];
  const count = archive.readUInt16LE(at + 10);
  const start = archive.readUInt32LE(at + 16);
  const end = start + archive.readUInt32LE(at + 12);
  if (disk !== 0 || listDisk !== 0 || archive.readUInt16LE(at + 8) !== count)
    throw new PackageError('The archive must be in one part.');
  if (count > maxPackageFiles) throw new PackageError(`It must have at most ${maxPackageFiles} files.`);
  if (end > at) throw new PackageError('The archive is damaged: its list of files is not in it.');
  return { count, start, end };
}

function isEnd(archive: Buffer, at: number): boolean {
  return (
    at + sizes.end <= archive.length && at + sizes.end + archive.readUInt16LE(at + 20) === archive.length
  );
}

interface Entry extends Omit<ZipFile, 'packed'> {
  /** A directory, or what no extension needs. */
  isLeftOut: boolean;
  packedBytes: number;
  /** Where its content is, after a header. */
  offset: number;
  /** Where the next entry is. */
  next: number;
}

function readEntry(archive: Buffer, at: number, end: number): Entry {
  if (at + sizes.entry > end || archive.readUInt32LE(at) !== signatures.entry) throw damagedList();
  const nameAt = at + sizes.entry;
  const nameEnd = nameAt + archive.readUInt16LE(at + 28);
  const next = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
  if (next > end) throw damagedList();
  const name = nameOf(archive.subarray(nameAt, nameEnd));
  const isDirectory = name.endsWith('/');
  const path = isDirectory ? name.slice(0, -1) : name;
  const isOdd = leftOut.test(path);
  const trouble = isOdd ? undefined : pathTrouble(path);
  if (trouble) throw new PackageError(trouble);
  const kind = (archive.readUInt32LE(at + 38) >>> 16) & kinds.mask;
  if (kind !== kinds.none && kind !== kinds.file && kind !== kinds.directory)
    throw new PackageError(`${path} is a link or a device. Only files and directories are allowed.`);
  const method = archive.readUInt16LE(at + 10);
  if (archive.readUInt16LE(at + 8) & encryptedFlag)
    throw new PackageError(`The file ${path} is encrypted. Pack it without a password.`);
  if (method !== methods.stored && method !== methods.deflated)
    throw new PackageError(`The file ${path} is compressed in an unknown way. Use the usual one, deflate.`);
  return {
    path,
    isLeftOut: isDirectory || isOdd,
    crc: archive.readUInt32LE(at + 16),
    packedBytes: archive.readUInt32LE(at + 20),
    bytes: archive.readUInt32LE(at + 24),
    isDeflated: method === methods.deflated,
    offset: archive.readUInt32LE(at + 42),
    next,
  };
}

function nameOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new PackageError('The name of a file is not in UTF-8.');
  }
}

/** The content of a file. It is before the list of files, which begins at `end`. */
function contentOf(archive: Buffer, { path, offset, packedBytes }: Entry, end: number): Buffer {
  const damaged = () => new PackageError(`The file ${path} is damaged.`);
  if (offset + sizes.local > end || archive.readUInt32LE(offset) !== signatures.local) throw damaged();
  const start = offset + sizes.local + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  if (start + packedBytes > end) throw damaged();
  return archive.subarray(start, start + packedBytes);
}

/** Each path once, and none that is a directory of another. */
function checkPaths(files: readonly ZipFile[]): void {
  const paths = new Set<string>();
  const directories = new Set<string>();
  for (const { path } of files) {
    if (paths.has(path)) throw new PackageError(`The file ${path} is in the archive twice.`);
    paths.add(path);
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
      directories.add(path.slice(0, at));
  }
  for (const path of paths)
    if (directories.has(path)) throw new PackageError(`${path} is a file and a directory.`);
}

const damagedList = () => new PackageError('The archive is damaged: its list of files cannot be read.');
