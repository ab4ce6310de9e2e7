import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/**
 * Reads the answer of Chromium's `/json/protocol` from `resources.pak` beside the program, where Chromium has it from.
 * A browser with a DevTools pipe does not serve it.
 *
 * The file has a header, a table of ids and offsets, and the resources (tools/grit/grit/format/data_pack.py in
 * Chromium's source, version 5). A compressed resource begins with two bytes and its uncompressed length.
 */
const headBytes = 12;
const entryBytes = 6;
const compressedMark = 0x9b1e;
const compressedHeadBytes = 8;
/** The description is one of few large resources. Its id changes from version to version. */
const minBytes = 400_000;
const maxBytes = 20 * 2 ** 20;
const beginning = /^\s*\{\s*"version":\s*\{[^}]*\},\s*"domains"/;

const decompress = promisify(brotliDecompress);
const known = new Map<string, Promise<Buffer | undefined>>();

/** The protocol description of a Chromium program, read once. Returns undefined if it was not found. */
export function protocolDescription(chromium: string): Promise<Buffer | undefined> {
  const found = known.get(chromium) ?? find(join(dirname(chromium), 'resources.pak')).catch(() => undefined);
  known.set(chromium, found);
  return found;
}

async function find(path: string): Promise<Buffer | undefined> {
  await using file = await open(path);
  const read = async (at: number, length: number) =>
    (await file.read(Buffer.alloc(length), 0, length, at)).buffer;
  const head = await read(0, headBytes);
  if (head.readUInt32LE(0) !== 5) return undefined;
  const count = head.readUInt16LE(8);
  const table = await read(headBytes, (count + 1) * entryBytes);
  for (let i = 0; i < count; i++) {
    const [start, end] = [i, i + 1].map((entry) => table.readUInt32LE(entry * entryBytes + 2)) as [
      number,
      number,
    ];
    if (end - start <= compressedHeadBytes) continue;
    const resource = await read(start, compressedHeadBytes);
    const length = resource.readUIntLE(2, 6);
    if (resource.readUInt16LE(0) !== compressedMark || length < minBytes || length > maxBytes) continue;
    const compressed = await read(start + compressedHeadBytes, end - start - compressedHeadBytes);
    const content = await decompress(compressed, { maxOutputLength: length });
    if (beginning.test(content.toString('utf8', 0, 200))) return content;
  }
  return undefined;
}
