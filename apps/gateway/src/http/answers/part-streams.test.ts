import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { begun, jsonWithList, streamOf } from './part-streams.ts';

test('a long list is the same JSON, in parts between which others are served', async () => {
  const items = Array.from({ length: 100_000 }, (_, id) => ({ id, name: `"${id}"` }));
  let served = 0;
  const serve = () => {
    served += 1;
    other = setImmediate(serve);
  };
  let other = setImmediate(serve);
  const json = await text(streamOf(jsonWithList({ a: 1 }, 'items', items)));
  clearImmediate(other);
  expect(JSON.parse(json)).toEqual({ a: 1, items });
  expect(served).toBeGreaterThan(3);
  expect(await text(streamOf(jsonWithList({}, 'items', [])))).toBe('{"items":[]}');
});

test('parts are made as they are read, and what was begun ends with its reader', async () => {
  let made = 0;
  let isEnded = false;
  async function* parts() {
    try {
      for (; made < 1000; made++) yield Buffer.alloc(2 ** 20);
    } finally {
      isEnded = true;
    }
  }
  const stream = await begun(parts());
  expect(made).toBe(0);
  stream.read();
  await new Promise(setImmediate);
  expect(made).toBeLessThan(4);
  stream.destroy();
  await new Promise((resolve) => stream.once('close', resolve));
  expect(isEnded).toBe(true);
});

test('what fails at once fails before the answer has begun', async () => {
  await expect(
    begun(
      // biome-ignore lint/correctness/useYield: it fails before it has anything
      (async function* () {
        throw new Error('no storage');
      })(),
    ),
  ).rejects.toThrow('no storage');
});
