import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hostMatcher, normalHost, parseHostPattern } from './host-pattern.ts';

it.each([
  ['EXAMPLE.com', 'example.com'],
  ['example.com.', 'example.com'],
  ['münchen.de', 'xn--mnchen-3ya.de'],
  ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
  ['ＥＸＡＭＰＬＥ。com', 'example.com'],
  ['exam\u00adple.com', 'example.com'],
  ['my_host', 'my_host'],
  ['127.0.0.1', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['0x7f.0.0.1', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::ffff:7f00:1', '127.0.0.1'],
])('writes %s as %s', (host, normal) => expect(normalHost(host)).toBe(normal));

it.each([
  '',
  '.',
  '..',
  'a..b',
  'example.com..',
  '.example.com',
  'a b',
  'http://a',
  'a/b',
  'a:80',
  'u@a',
  'a\\b',
  'ex%61mple.com',
  'a\u0000b',
  'a\nb',
  '256.1.1.1',
  '1.2.3.4.5',
  'fe80::1%eth0',
  '[::1]',
  `${'a'.repeat(60)}.`.repeat(5),
])('%j is no host', (host) => expect(normalHost(host)).toBeUndefined());

it.each([
  ['*.Example.COM.', '*.example.com'],
  ['[2001:DB8::1]', '2001:db8::1'],
  ['2001:DB8::1', '2001:db8::1'],
  ['*.com', '*.com'],
])('reads the pattern %s as %s', (text, pattern) => expect(parseHostPattern(text)).toBe(pattern));

it.each([
  '*',
  '＊',
  '＊.example.com',
  '*.',
  '*.*',
  '*.*.com',
  'a*.com',
  'a.*.com',
  '*.1.2.3.4',
  '*.1',
  '*.[::1]',
  '**.a.com',
  '*a.com',
])('%s is no pattern', (text) => expect(parseHostPattern(text)).toBeUndefined());

it('a name matches itself alone, and a pattern what is below its name', () => {
  const matches = hostMatcher(['example.com', '*.example.org', '10.0.0.1']);
  const tried = [
    'example.com',
    'a.example.com',
    'example.org',
    'a.example.org',
    'b.a.example.org',
    '10.0.0.1',
  ];
  const tricks = [
    'notexample.org',
    'example.org.evil.net',
    'example.com.evil.net',
    'evil-example.com',
    'org',
    '1',
  ];
  expect([...tried, ...tricks].filter(matches)).toEqual([
    'example.com',
    'a.example.org',
    'b.a.example.org',
    '10.0.0.1',
  ]);
});

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));

it('a pattern matches exactly the names that end in a dot and its name', () => {
  fc.assert(
    fc.property(name, name, fc.boolean(), (host, base, isWild) => {
      const pattern = parseHostPattern(isWild ? `*.${base}` : base) as string;
      expect(hostMatcher([pattern])(normalHost(host) as string)).toBe(
        isWild ? host.endsWith(`.${base}`) : host === base,
      );
    }),
  );
});

it('however a name is spelt it is the same host', () => {
  const respelt = (host: string, upper: boolean[], dot: boolean) =>
    [...host].map((letter, i) => (upper[i % upper.length] ? letter.toUpperCase() : letter)).join('') +
    (dot ? '.' : '');
  fc.assert(
    fc.property(name, fc.array(fc.boolean(), { minLength: 1 }), fc.boolean(), (host, upper, dot) => {
      expect(normalHost(respelt(host, upper, dot))).toBe(host);
    }),
  );
});

it('every IPv4 address has one form, however its number is written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffffff }), (number) => {
      const parts = [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff);
      const usual = parts.join('.');
      const hex = parts.map((part) => part.toString(16).padStart(2, '0'));
      const spellings = [
        `${number}`,
        `0x${number.toString(16)}`,
        hex.map((part) => `0x${part}`).join('.'),
        parts.map((part) => `0${part.toString(8)}`).join('.'),
        `::ffff:${usual}`,
        `0:0:0:0:0:FFFF:${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`,
      ];
      expect(new Set(spellings.map(normalHost))).toEqual(new Set([usual]));
    }),
  );
});

it('no text makes it throw, and what is a host is one when read again', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.ipV6(), fc.domain()), (text) => {
      const normal = normalHost(text);
      if (normal !== undefined) expect(normalHost(normal)).toBe(normal);
      const pattern = parseHostPattern(text);
      if (pattern !== undefined) expect(parseHostPattern(pattern)).toBe(pattern);
    }),
    { numRuns: 1000 },
  );
});
