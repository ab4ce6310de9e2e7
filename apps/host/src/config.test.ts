import { expect, it } from 'vitest';
import { readHostConfig } from './config.ts';

it('has a default for everything', () => {
  const config = readHostConfig({});
  expect(config).toMatchObject({ port: 8081, bind: '127.0.0.1', tls: undefined, allowedOrigins: [] });
  expect(config.seats).toBeGreaterThanOrEqual(2);
  expect(config.chromium).toMatch(/^\//);
});

it.each([
  ['https://host.example/', 'wss://host.example'],
  ['http://host.example:81', 'ws://host.example:81'],
  ['wss://host.example/base/', 'wss://host.example/base'],
])('the public URL %s is %s to clients', (text, expected) => {
  expect(readHostConfig({ TURNPIKE_HOST_PUBLIC_URL: text }).publicUrl).toBe(expected);
});

it.each([
  ['1', { headful: 1, headless: 0 }],
  ['8', { headful: 1, headless: 1 }],
  ['100', { headful: 4, headless: 2 }],
])('of %s seats, %j are kept warm', (seats, warm) => {
  expect(readHostConfig({ TURNPIKE_HOST_SEATS: seats }).warm).toEqual(warm);
  const none = { TURNPIKE_HOST_WARM_HEADFUL: '0', TURNPIKE_HOST_WARM_HEADLESS: '0' };
  expect(readHostConfig({ TURNPIKE_HOST_SEATS: seats, ...none }).warm).toEqual({ headful: 0, headless: 0 });
});

it('reads a list of origins', () => {
  const env = { TURNPIKE_HOST_ALLOWED_ORIGINS: 'https://a.example, http://b.example:8080/' };
  expect(readHostConfig(env).allowedOrigins).toEqual(['https://a.example', 'http://b.example:8080']);
  expect(readHostConfig(env).viewerAncestors).toEqual([]);
  const ancestors = { TURNPIKE_HOST_VIEWER_ANCESTORS: 'https://dashboard.example' };
  expect(readHostConfig(ancestors).viewerAncestors).toEqual(['https://dashboard.example']);
});

it('reads which files have the rules of which kind', () => {
  expect(readHostConfig({}).blockLists).toEqual({});
  const env = { TURNPIKE_BLOCK_LISTS: 'ads:/etc/hostname, trackers:/etc/hosts,ads:/etc/hosts' };
  expect(readHostConfig(env).blockLists).toEqual({
    ads: ['/etc/hostname', '/etc/hosts'],
    trackers: ['/etc/hosts'],
  });
});

it.each([
  ['TURNPIKE_HOST_PORT', '70000'],
  ['TURNPIKE_HOST_SEATS', '0'],
  ['TURNPIKE_HOST_WARM_HEADFUL', '9999'],
  ['TURNPIKE_HOST_WARM_HEADLESS', '-1'],
  ['TURNPIKE_HOST_WARM_MAX_AGE_MS', '1'],
  ['TURNPIKE_HOST_STARTS_AT_ONCE', '0'],
  ['TURNPIKE_PROXY_PROBE_URL', 'example.com'],
  ['TURNPIKE_HOST_UID_BASE', '0'],
  ['TURNPIKE_HOST_PUBLIC_URL', 'ftp://x'],
  ['TURNPIKE_HOST_ALLOWED_ORIGINS', 'example.com'],
  ['TURNPIKE_HOST_VIEWER_ANCESTORS', '*'],
  ['TURNPIKE_HOST_TLS_CERT', '/nowhere/cert.pem'],
  ['TURNPIKE_HOST_TLS_KEY', '/etc/hostname'],
  ['TURNPIKE_CHROMIUM', '/nowhere/chromium'],
  ['TURNPIKE_BLOCK_LISTS', 'ads:/nowhere/list.txt'],
  ['TURNPIKE_BLOCK_LISTS', '/etc/hostname'],
  ['TURNPIKE_BLOCK_LISTS', 'images:/etc/hostname'],
])('a bad %s is named', (name, value) => {
  expect(() => readHostConfig({ [name]: value })).toThrow(new RegExp(`^TURNPIKE_.*${name.slice(-4)}`));
});
