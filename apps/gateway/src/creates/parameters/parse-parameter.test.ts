import type { CreateParameter } from '@turnpike/contract/create-parameter';
import { createParameters } from '@turnpike/contract/create-parameters';
import { expect, test } from 'vitest';
import { parseParameter } from './parse-parameter.ts';

const common = { where: ['body'], label: 'Sample', help: 'Sample' } as const;

test.each([
  [undefined, 7200],
  [0, 7200],
  [30, 120],
  [-5, 120],
  ['120', 120],
  [3600, 3600],
  [604_800, 86_400],
  [Number.POSITIVE_INFINITY, 86_400],
])('a lifetime of %s is %s seconds', (asked, seconds) =>
  expect(parseParameter('maxLifetime', createParameters.maxLifetime, asked)).toBe(seconds),
);

test.each([
  ['true', true],
  [true, true],
  ['yes', false],
  [['true', 'true'], false],
  [undefined, false],
])('headless=%j is %s', (value, parsed) =>
  expect(parseParameter('headless', createParameters.headless, value)).toBe(parsed),
);

test('a flag without a default is there only when it is true', () => {
  const flag: CreateParameter = { ...common, kind: 'flag' };
  expect(parseParameter('sample', flag, 'true')).toBe(true);
  expect(parseParameter('sample', flag, 'false')).toBeUndefined();
});

const bytes: CreateParameter = { ...common, kind: 'integer', unit: 'bytes', min: 1 };
test('a number without an upper bound may be as large as any', () => {
  expect(parseParameter('sample', bytes, '10000000000')).toBe(1e10);
  expect(() => parseParameter('sample', bytes, 0)).toThrow('sample must be at least 1');
  expect(() => parseParameter('sample', bytes, 1.5)).toThrow('sample must be an integer');
});

const words: CreateParameter = {
  ...common,
  kind: 'list',
  unit: 'word',
  pattern: /^[a-z]+$/,
  maxItems: 3,
  rule: 'must be at most 3 words',
};
test.each([
  ['a,b', ['a', 'b']],
  [' a , b ', ['a', 'b']],
  [
    ['a', 'b'],
    ['a', 'b'],
  ],
  [
    ['a,b', 'c'],
    ['a', 'b', 'c'],
  ],
  ['', undefined],
  [[], undefined],
  [null, undefined],
])('the list %j is %j', (value, parsed) => expect(parseParameter('sample', words, value)).toEqual(parsed));
test.each(['a,b,c,d', 'A', 7, [7], [['a']], { a: 1 }])('the list %j is refused', (value) =>
  expect(() => parseParameter('sample', words, value)).toThrow('sample must be at most 3 words'),
);

test.each([
  ['Example.COM., *.EXAMPLE.org', ['example.com', '*.example.org']],
  [['münchen.de', 'xn--mnchen-3ya.de'], ['xn--mnchen-3ya.de']],
  ['0x7f.1,[::1],::ffff:10.0.0.1', ['127.0.0.1', '::1', '10.0.0.1']],
])('the hosts %j are %j', (value, parsed) =>
  expect(parseParameter('allow_hosts', createParameters.allow_hosts, value)).toEqual(parsed),
);
test.each([
  ['https://example.com', '"https://example.com" is not one'],
  ['a.com,b.com:443', '"b.com:443" is not one'],
  ['*', '"*" is not one'],
  ['a.com/*', '"a.com/*" is not one'],
  [['a.com', 7], 'must be at most 1000 host names'],
  [Array.from({ length: 1001 }, (_, i) => `h${i}.com`), 'must be at most 1000 host names'],
  [
    Array.from({ length: 200 }, (_, i) => `${`${'h'.repeat(60)}.`.repeat(3)}h${i}.com`),
    'at most 32768 bytes',
  ],
])('the hosts %j are refused: %s', (value, rule) =>
  expect(() => parseParameter('allow_hosts', createParameters.allow_hosts, value)).toThrow(rule),
);
