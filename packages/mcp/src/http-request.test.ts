import { expect, test } from 'vitest';
import { apiKeyOf, isLocal } from './http-request.ts';

test('a request is local when its host is, and its origin, if it has one', () => {
  const local = (host: string, origin?: string) =>
    isLocal({ headers: { host, ...(origin === undefined ? {} : { origin }) } });
  for (const host of ['127.0.0.1:8931', 'localhost:8931', '[::1]:8931']) expect(local(host)).toBe(true);
  expect(local('127.0.0.1:8931', 'http://localhost:3000')).toBe(true);
  for (const host of ['', 'evil.example:8931', '127.0.0.1.evil.example', 'localhost@evil.example']) {
    expect(local(host)).toBe(false);
  }
  for (const origin of ['https://evil.example', 'null', '', 'http://localhost.evil.example']) {
    expect(local('127.0.0.1:8931', origin)).toBe(false);
  }
});

test('a key comes in its own header or as a bearer token', () => {
  expect(apiKeyOf({ headers: { 'x-api-key': 'one' } })).toBe('one');
  expect(apiKeyOf({ headers: { authorization: 'Bearer two' } })).toBe('two');
  expect(apiKeyOf({ headers: { authorization: 'Basic two' } })).toBeUndefined();
  expect(apiKeyOf({ headers: { 'x-api-key': 'a b' } })).toBeUndefined();
});
