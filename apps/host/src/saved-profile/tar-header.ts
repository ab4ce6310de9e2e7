const blockBytes = 512;
const nameBytes = 100;

export interface TarEntry {
  /** Relative, with slashes; of a directory too. */
  path: string;
  kind: 'file' | 'directory';
  bytes: number;
}

/** The blocks that come before an entry's content; a name that is too long for a header goes before it, as GNU tar has it. */
export function tarHeader({ path, kind, bytes }: TarEntry): Buffer {
  const own = (name: Buffer) =>
    header(name, kind === 'file' ? '0' : '5', kind === 'file' ? 0o600 : 0o700, bytes);
  const name = Buffer.from(path);
  if (name.length <= nameBytes) return own(name);
  const long = Buffer.concat([name, Buffer.alloc(1)]);
  const link = header(Buffer.from('././@LongLink'), 'L', 0, long.length);
  return Buffer.concat([link, long, padding(long.length), own(name.subarray(0, nameBytes))]);
}

/** What fills the last block of a content. */
export function padding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}

/** Two empty blocks. */
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
