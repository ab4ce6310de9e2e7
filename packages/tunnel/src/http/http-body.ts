import type { Connection } from '../sockets/connection.ts';
import type { Framing } from './http-framing.ts';
import { BadMessage } from './http-headers.ts';

const maxLineBytes = 4096;
const maxTrailerLines = 100;

/** Handles the next bytes of a body. Resolves with how many of them are missing because the other side has ended. */
type Part = (count: number) => Promise<number>;

/** Reads a body's bytes, without its framing, piece by piece. */
export async function readBody(
  from: Connection,
  framing: Framing,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  await eachPart(from, framing, async (count) => {
    for (let missing = count; missing > 0; ) {
      const bytes = await from.read(missing);
      if (!bytes) return missing;
      missing -= bytes.length;
      await take(bytes);
    }
    return 0;
  });
}

/**
 * Copies a body from one connection to another. Chunks are decoded and encoded again, without extensions, trailers or
 * anything between them. `asChunks` is false for an HTTP/1.0 client, which does not support them.
 */
export async function copyBody(
  from: Connection,
  to: Connection,
  framing: Framing,
  asChunks = true,
): Promise<void> {
  const pass: Part = (count) => from.passOn(to, count);
  if (framing.kind !== 'chunked' || !asChunks) return eachPart(from, framing, pass);
  await eachPart(from, framing, async (count) => {
    await to.write(`${count.toString(16)}\r\n`);
    const missing = await pass(count);
    if (missing === 0) await to.write('\r\n');
    return missing;
  });
  await to.write('0\r\n\r\n');
}

async function eachPart(from: Connection, framing: Framing, part: Part): Promise<void> {
  if (framing.kind === 'length') await whole(part(framing.length));
  if (framing.kind === 'chunked') await eachChunk(from, part);
  if (framing.kind === 'close') await part(Number.POSITIVE_INFINITY);
}

async function whole(part: Promise<number>): Promise<void> {
  if ((await part) > 0) throw new BadMessage('The body ended early.');
}

async function eachChunk(from: Connection, part: Part): Promise<void> {
  for (;;) {
    const wait = from.slice.next();
    if (wait) await wait;
    const [, digits] = /^([\da-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r\n$/i.exec(await readLine(from)) ?? [];
    if (digits === undefined) throw new BadMessage('The size of a chunk is not valid.');
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    await whole(part(size));
    if ((await readLine(from)) !== '\r\n') throw new BadMessage('A chunk is longer than its size.');
  }
  for (let lines = 0; (await readLine(from)) !== '\r\n'; lines++) {
    if (lines >= maxTrailerLines) throw new BadMessage('The trailer is too long.');
  }
}

async function readLine(from: Connection): Promise<string> {
  const line = await from.readThrough('line', maxLineBytes);
  if (line === undefined) throw new BadMessage('The body ended early.');
  if (line === 'too-long') throw new BadMessage('A line between chunks is too long.');
  return line.toString('latin1');
}
