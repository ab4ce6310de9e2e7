import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEventStream } from './event-stream.ts';

/** Streams and what is read of them; one list for both clients. */
interface Case {
  name: string;
  chunks: string[];
  /** Ids and data of the blocks that have data. */
  events: [string, string][];
  lastId: string;
}

const file = join(import.meta.dirname, '../../../../tests/clients/event-streams.json');
const cases: Case[] = JSON.parse(readFileSync(file, 'utf8'));

test.each(cases)('a stream with $name is read by the standard', async ({ chunks, events, lastId }) => {
  const whole = chunks.map((chunk) => Buffer.from(chunk));
  const bytewise = [...Buffer.concat(whole)].map((byte) => Uint8Array.of(byte));
  for (const stream of [whole, bytewise]) {
    const blocks = await Array.fromAsync(readEventStream(stepwise(stream)));
    expect(blocks.filter(({ data }) => data).map(({ id, data }) => [id, data])).toEqual(events);
    expect(blocks.at(-1)?.id ?? '').toBe(lastId);
  }
});

async function* stepwise(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
