import { expect, it } from 'vitest';
import { formatTarget, parseTarget } from './target.ts';

it.each([
  ['example.com:443', { host: 'example.com', port: 443 }],
  ['127.0.0.1:80', { host: '127.0.0.1', port: 80 }],
  ['[2001:db8::1]:8443', { host: '2001:db8::1', port: 8443 }],
])('%s is a target', (authority, target) => {
  expect(parseTarget(authority)).toEqual(target);
  expect(formatTarget(target)).toBe(authority);
});

it.each([
  '',
  'example.com',
  'example.com:',
  'example.com:0',
  'a:65536',
  '::1:80',
  'u@h:80',
  'a b:1',
  'a\r\n:1',
  '/x:1',
])('%j is none', (authority) => {
  expect(parseTarget(authority)).toBeUndefined();
});
