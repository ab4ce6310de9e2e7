import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isDeeperThan, JsonTooDeepError, maxJsonDepth, parseBoundedJson } from './bounded-json.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('the depth of any JSON is told as walking it tells', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 9 }), (json, max) => {
      expect(isDeeperThan(json, max)).toBe(depthOf(JSON.parse(json)) > max);
    }),
  );
});

test('brackets, quotes and backslashes in strings are not counted', () => {
  const tricky = ['[[[', '"', '\\', '\\"[[', '{"a":[', '\\\\', '\u2028]'];
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...tricky)).map((parts) => parts.join('')),
      (text) => {
        const json = JSON.stringify({ [text]: [text, [text]] });
        expect([isDeeperThan(json, 3), isDeeperThan(json, 2)]).toEqual([false, true]);
      },
    ),
  );
});

test('what is nested as deep as it may be is parsed, and one level more is refused', () => {
  expect(parseBoundedJson(nested(maxJsonDepth))).toEqual(JSON.parse(nested(maxJsonDepth)));
  expect(() => parseBoundedJson(nested(maxJsonDepth + 1))).toThrow(JsonTooDeepError);
  expect(() => parseBoundedJson('['.repeat(1_000_000))).toThrow(JsonTooDeepError);
  expect(() => parseBoundedJson('{"a":')).toThrow(SyntaxError);
});

test('a string of backslashes and quotes takes time in proportion to its length', () => {
  const json = `["${'\\\\'.repeat(500_000)}${'\\"'.repeat(500_000)}"]`;
  expect(isDeeperThan(json, 1)).toBe(false);
});
