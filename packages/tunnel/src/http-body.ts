import type { Connection } from '@turnpike/process/connection';
import type { Framing } from './http-framing.ts';
import { BadMessage } from './http-headers.ts';

const maxLineBytes = 4096;
const maxTrailerLines = 100;

/** Reads a body's bytes, without its framing, piece by piece. */
export async function readBody(
  from: Connection,
  framing: Framing,
  take: (bytes: Buffer) => Promise<void>,
): Promise<void> {
  if (framing.kind === 'length') await readLength(from, take, framing.length);
  if (framing.kind === 'chunked') await readChunks(from, take);
  if (framing.kind === 'close') {
    for (let bytes = await from.read(); bytes; bytes = await from.read()) await take(bytes);
  }
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
  if (framing.kind !== 'chunked' || !asChunks) return readBody(from, framing, (bytes) => to.write(bytes));
  await readBody(from, framing, async (bytes) => {
    await to.write(`${bytes.length.toString(16)}\r\n`);
    await to.write(bytes);
    await to.write('\r\n');
  });
  await to.write('0\r\n\r\n');
}

async function readLength(
  from: Connection,
  take: (bytes: Buffer) => Promise<void>,
  length: number,
): Promise<void> {
  for (let missing = length; missing > 0; ) {
    const bytes = await from.read(missing);
    if (!bytes) throw new BadMessage('The body ended early.');
    missing -= bytes.length;
    await take(bytes);
  }
}

async function readChunks(from: Connection, take: (bytes: Buffer) => Promise<void>): Promise<void> {
  for (;;) {
    const [, digits] = /^([\da-f]{1,12})[ \t]*(?:;[^\r\n]*)?\r\n$/i.exec(await readLine(from)) ?? [];
    if (digits === undefined) throw new BadMessage('The size of a chunk is not valid.');
    const size = Number.parseInt(digits, 16);
    if (size === 0) break;
    await readLength(from, take, size);
    if ((await readLine(from)) !== '\r\n') throw new BadMessage('A chunk is longer than its size.');
  }
  for (let lines = 0; (await readLine(from)) !== '\r\n'; lines++) {
    if (lines >= maxTrailerLines) throw new BadMessage('The trailer is too long.');
  }
}

async function readLine(from: Connection): Promise<string> {
  const line = await from.readThrough(['\n'], maxLineBytes);
  if (line === undefined) throw new BadMessage('The body ended early.');
  if (line === 'too-long') throw new BadMessage('A line between chunks is too long.');
  return line.toString('latin1');
}
