import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangesIn } from './page-json.ts';

const parts = async (json: string) => {
  const bytes = Buffer.from(json);
  const ranges = await rangesIn(bytes);
  return Object.fromEntries(
    [...ranges].map(([name, { start, end }]) => [name, JSON.parse(bytes.toString('utf8', start, end))]),
  );
};

test('members are found without parsing, whatever they hold', async () => {
  const names = fc.constantFrom('content', 'links', 'scrape', 'x');
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, fc.jsonValue()), fc.constantFrom(0, 2), async (value, indent) => {
      expect(await parts(JSON.stringify(value, null, indent))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('items of a list inside are found by their index', async () => {
  const json = Buffer.from('{"a": [ {"b":"]"}, 2 ,"x,y"] }');
  const a = (await rangesIn(json)).get('a');
  const items = await rangesIn(json, a);
  expect([...items.values()].map(({ start, end }) => json.toString('utf8', start, end))).toEqual([
    '{"b":"]"}',
    '2',
    '"x,y"',
  ]);
});

test.each(['', '{', '{"a"', '{"a":', '"text"', '[', '{"a":1 "b":2}', '{"a":"'])(
  '%s is not read beyond its end',
  async (json) => {
    const bytes = Buffer.from(json);
    for (const { start, end } of (await rangesIn(bytes)).values())
      expect(start <= end && end <= bytes.length).toBe(true);
  },
);
