/**
 * The tar format, as far as profiles need it: files and directories without owners and times, in GNU tar's format, which
 * the sandbox unpacks. Written here because libraries (tar-stream, tar) bring their own streams: an archive must be
 * produced piece by piece by a generator that closes its descriptors when packing fails (`pack-profile.ts`). Only the
 * fields below would be left for a library to fill.
 */

const blockBytes = 512;
const nameBytes = 100;

export interface TarEntry {
  /** Relative, with slashes; a directory's ends in one. */
  path: string;
  kind: 'file' | 'directory';
  bytes: number;
}

/** The blocks before an entry's content. A name that is too long has an entry of its own before it (GNU @LongLink). */
export function tarHeader({ path, kind, bytes }: TarEntry): Buffer {
  const entry = (name: Buffer) =>
    header(name, kind === 'file' ? '0' : '5', kind === 'file' ? 0o600 : 0o700, bytes);
  const name = Buffer.from(path);
  if (name.length <= nameBytes) return entry(name);
  const long = Buffer.concat([name, Buffer.alloc(1)]);
  const link = header(Buffer.from('././@LongLink'), 'L', 0, long.length);
  return Buffer.concat([link, long, padding(long.length), entry(name.subarray(0, nameBytes))]);
}

/** Fills up the last block of an entry's content. */
export function padding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}

/** Two empty blocks end an archive. */
export const tarEnd = Buffer.alloc(2 * blockBytes);

function header(name: Buffer, type: string, mode: number, bytes: number): Buffer {
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');
  name.copy(block);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(bytes, 11), 124);
  block.write(octal(0, 11), 136);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar  ', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}
