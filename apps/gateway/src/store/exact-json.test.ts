import { expect, test } from 'vitest';
import { parseExactJson } from './exact-json.ts';

test.each([
  '{"id":12345678901234567890,"list":[-9007199254740993,{"deep":18446744073709551615}]}',
  '{"a":1.0,"b":1e400,"c":0.1000000000000000055511151231257827,"d":-0,"e":1E3}',
  '{"plain":1,"text":"12345678901234567890","nothing":null,"yes":true}',
])('what is parsed is written again as it was: %s', (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text);
});

test('numbers that JavaScript writes the same stay numbers', () => {
  expect(parseExactJson('{"n":0.5,"big":9007199254740991}')).toEqual({ n: 0.5, big: 9007199254740991 });
});

test('what is no JSON throws', () => {
  expect(() => parseExactJson('{"n":1.}')).toThrow(SyntaxError);
});
