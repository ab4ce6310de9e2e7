import { expect, test } from 'vitest';
import { readNewSession } from './new-session.ts';

const read = (proxy: object, own?: object) =>
  readNewSession({
    capabilities: { firstMatch: [{ proxy, ...(own && { 'turnpike:options': own }), browserName: 'chrome' }] },
  });
const address = 'proxy.example:8000';

test("the standard's capability is the proxy of the session", () => {
  const body = JSON.stringify({ capabilities: { alwaysMatch: {}, firstMatch: [{ browserName: 'chrome' }] } });
  for (const [proxy, url] of [
    [{ proxyType: 'manual', httpProxy: address, sslProxy: address }, `http://${address}`],
    [{ proxyType: 'manual', sslProxy: address, noProxy: ['a.example'] }, `http://${address}`],
    [{ proxyType: 'manual', socksProxy: address, socksVersion: 5 }, `socks5://${address}`],
  ] as const)
    expect(read(proxy)).toEqual({ key: undefined, options: { proxy: url }, body });
});

test('a capability that names no proxy, or several, is left to the driver', () => {
  for (const proxy of [
    { proxyType: 'system' },
    { proxyType: 'manual' },
    { proxyType: 'manual', httpProxy: 5 },
    { proxyType: 'manual', httpProxy: address, sslProxy: 'other.example:1' },
    { proxyType: 'manual', httpProxy: address, socksProxy: address, socksVersion: 5 },
    { proxyType: 'manual', socksProxy: address, socksVersion: 4 },
    { proxyType: 'pac', proxyAutoconfigUrl: 'http://a.example/' },
  ])
    expect(read(proxy)).toMatchObject({ options: {}, body: expect.stringContaining('"proxy":{') });
});

test('a parameter of the create comes first', () => {
  const proxy = { proxyType: 'manual', httpProxy: address };
  expect(read(proxy, { proxy: 'name:shop' })).toMatchObject({
    options: { proxy: 'name:shop' },
    body: expect.stringContaining(address),
  });
});
