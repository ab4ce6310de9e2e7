import { expect, test } from 'vitest';
import { allPages, csvLine, wantsCsv } from './csv.ts';

test('fields are quoted where they must be, and no text begins like a formula', () => {
  expect(csvLine(['a', 1, null, true])).toBe('a,1,,true\r\n');
  expect(csvLine(['say "hi"', 'a,b', 'two\nlines'])).toBe('"say ""hi""","a,b","two\nlines"\r\n');
  expect(csvLine(['=1+1', '+49', '-x', '@a', -5])).toBe("'=1+1,'+49,'-x,'@a,-5\r\n");
});

test('pages are read until there is no next one', async () => {
  const pages = new Map([
    [undefined, { page: [1], nextCursor: 'a' }],
    ['a', { page: [], nextCursor: 'b' }],
    ['b', { page: [2], nextCursor: null }],
  ]);
  const read: number[] = [];
  for await (const page of allPages<number>(async (cursor) => pages.get(cursor) ?? expect.fail())) {
    read.push(...page);
  }
  expect(read).toEqual([1, 2]);
});

test.each([
  [undefined, false],
  ['*/*', false],
  ['application/json', false],
  ['text/csv', true],
  ['Text/CSV; charset=utf-8', true],
  ['text/csv, */*;q=0.1', true],
  ['application/json, text/csv;q=0.5', false],
  ['text/csv;q=0', false],
])('Accept: %s asks for CSV: %s', (accept, wanted) => expect(wantsCsv(accept)).toBe(wanted));
