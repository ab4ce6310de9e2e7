import { parseRequestHead } from '@turnpike/tunnel/http/http-head';
import { expect, test } from 'vitest';
import { readCredentials } from './proxy-login.ts';

const read = (value: string) =>
  readCredentials(
    parseRequestHead(`GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${value}\r\n\r\n`),
  );
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

test('reads a user name and a password', () => {
  expect(read(basic('ann:a:b c'))).toEqual({ username: 'ann', password: 'a:b c' });
  expect(read(basic('änn:pässword').replace('Basic', 'basic'))).toEqual({
    username: 'änn',
    password: 'pässword',
  });
  expect(read(basic(':'))).toEqual({ username: '', password: '' });
});

test('takes nothing else', () => {
  for (const value of [
    '',
    'Bearer abc',
    basic('no colon'),
    basic('ann:\r\nX: 1'),
    basic(`a:${'x'.repeat(5000)}`),
  ])
    expect(read(value)).toBeUndefined();
});
