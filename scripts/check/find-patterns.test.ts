import { expect, test } from 'vitest';
import { findPatterns } from './find-patterns.ts';

const sourcesIn = (code: string) =>
  findPatterns('a.ts', code).map(({ line, pattern }) => [line, pattern?.source, pattern?.flags]);

test('literals are found, and what stands in texts and comments is not', () => {
  expect(sourcesIn("const a = /x+/g; // /y/\nconst b: string = '/z/';")).toEqual([[1, 'x+', 'g']]);
});

test('what RegExp is given is put together from the constants of the file', () => {
  const code = String.raw`const word = 'a|b';
const words = ['c', 'd'] as const;
new RegExp(~^(@{word})$~, 'i');
RegExp(words.join('|'));
new RegExp(String.raw~\d@{word}~);`;
  expect(sourcesIn(code.replaceAll('~', '`').replaceAll('@', '$'))).toEqual([
    [3, '^(a|b)$', 'i'],
    [4, 'c|d', ''],
    [5, '\\da|b', ''],
  ]);
});

test('what is no constant is found without its text', () => {
  expect(sourcesIn('export const make = (name: string) => new RegExp(name);')).toEqual([
    [1, undefined, undefined],
  ]);
});

test('a comment gives the reason for its own line, or for the one below it', () => {
  const code = ['f(/a/); // backtracks: ours', '// backtracks: short', 'f(/b/);', 'f(/c/);'].join('\n');
  expect(findPatterns('a.ts', code).map(({ reason }) => reason)).toEqual(['ours', 'short', undefined]);
});
