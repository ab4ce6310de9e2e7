import { expect, test } from 'vitest';
import { isFile, readAddress } from './address.ts';

const url = (text: string, dropTracking = false, base?: string) =>
  readAddress(text, { dropTracking }, base)?.url;

test.each([
  ['http://A.test:80/x#part', 'http://a.test/x'],
  ['https://a.test.:443', 'https://a.test/'],
  ['https://user:secret@a.test/?', 'https://a.test/'],
  ['https://a.test/b/../c?z=1&a=2', 'https://a.test/c?z=1&a=2'],
  [' https://a.test/ü ', 'https://a.test/%C3%BC'],
])('%s is %s', (text, expected) => {
  expect(url(text)).toBe(expected);
});

test.each([
  'mailto:a@b.test',
  'javascript:void 0',
  'file:///etc/passwd',
  'not a link',
  `https://a.test/${'x'.repeat(2048)}`,
])('%s is no page', (text) => {
  expect(url(text)).toBeUndefined();
});

test('links are read relative to their page', () => {
  expect(url('../x', false, 'https://a.test/b/c')).toBe('https://a.test/x');
});

test('parameters that only track are taken out when asked', () => {
  const tracked = 'https://a.test/?utm_source=x&id=7&GCLID=1&fbclid&b=%20';
  expect(url(tracked, true)).toBe('https://a.test/?id=7&b=%20');
  expect(url(tracked)).toBe(tracked);
  expect(url('https://a.test/?utm_source=x', true)).toBe('https://a.test/');
});

test('files that are no pages are told by their names', () => {
  expect(isFile('https://a.test/a.PNG?x')).toBe(true);
  expect(isFile('https://a.test/a.pdf')).toBe(false);
  expect(isFile('https://a.test/png')).toBe(false);
});
