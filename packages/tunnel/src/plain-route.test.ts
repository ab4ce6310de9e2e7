import { expect, test } from 'vitest';
import { expectLinear } from '../../../tests/fixtures/suite/cost.ts';
import { hostMatcher, normalHost, parseHostPattern } from './addresses/host-pattern.ts';
import { plainUrl } from './plain-route.ts';
import { parseTarget } from './target.ts';

/** A name of characters that differ, which cost Punycode the most. */
function manyLetters(size: number): string {
  let name = '';
  for (let i = 0; name.length < size; i++) {
    name += encodeURIComponent(String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000)));
  }
  return name;
}

const hosts: [string, (size: number) => string][] = [
  ['letters of Punycode', manyLetters],
  ['dots', (size) => 'a.'.repeat(size / 2)],
  ['at signs', (size) => '@'.repeat(size)],
  ['colons', (size) => ':'.repeat(size)],
  ['brackets', (size) => '['.repeat(size)],
  ['digits', (size) => '1'.repeat(size)],
  ['slashes', (size) => '/'.repeat(size)],
  ['beginnings of Punycode', (size) => 'xn--a9.'.repeat(size / 7)],
];

test.each(hosts)('a host of many %s costs as much as it is long', async (_name, host) => {
  const isBlocked = hostMatcher(['*.example.com']);
  const read = (text: string) => {
    for (let i = 0; i < 10; i++) plainUrl(`http://${text}/`);
    plainUrl(`http://a/${text}`);
    parseTarget(`${text}:80`);
    parseHostPattern(text);
    isBlocked(normalHost(decodeURIComponent(text)) ?? '');
  };
  await expectLinear(host, read, { from: 2 ** 12, to: 2 ** 15 });
});

test('a URL is read whatever the length of its path, and not with a host of any length', () => {
  const long = 'a'.repeat(50_000);
  expect(plainUrl(`http://a.example/${long}`)?.pathname).toHaveLength(50_001);
  expect(plainUrl(`HTTP:\\\\a.example?${long}`)?.host).toBe('a.example');
  expect(plainUrl(`http://${'u'.repeat(500)}:p@a.example`)?.host).toBe('a.example');
  for (const target of [`http://${long}/`, `http:///${long}`, `https://a/`, 'a', '/a']) {
    expect(plainUrl(target)?.protocol).toBeUndefined();
  }
});
