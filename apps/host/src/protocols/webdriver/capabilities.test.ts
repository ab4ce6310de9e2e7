import { expect, test } from 'vitest';
import { describedCapabilities, readWanted, WrongCapabilities } from './capabilities.ts';

const read = (alwaysMatch: object, firstMatch: object[] = [{}]) =>
  readWanted({ capabilities: { alwaysMatch, firstMatch } }, '127.0.0.1:9');

test('of Chrome’s options only those are kept that reach nothing else, and the address is ours', () => {
  const options = {
    binary: '/bin/sh',
    args: ['--no-sandbox'],
    extensions: ['x'],
    prefs: {},
    localState: {},
    debuggerAddress: '10.0.0.1:1',
    detach: true,
    minidumpPath: '/',
    androidPackage: 'x',
    w3c: false,
    windowTypes: ['webview'],
    perfLoggingPrefs: { enablePage: true },
  };
  expect(read({ 'goog:chromeOptions': options }).body).toEqual({
    capabilities: {
      alwaysMatch: {
        'goog:chromeOptions': {
          windowTypes: ['webview'],
          perfLoggingPrefs: { enablePage: true },
          debuggerAddress: '127.0.0.1:9',
        },
      },
      firstMatch: [{}],
    },
  });
  expect(read({}, [{ 'goog:chromeOptions': options }]).body).toMatchObject({
    capabilities: {
      alwaysMatch: { 'goog:chromeOptions': { windowTypes: ['webview'] } },
      firstMatch: [{}],
    },
  });
});

test('what ChromeDriver decides passes, and what the session decides does not', () => {
  const kept = {
    acceptInsecureCerts: true,
    pageLoadStrategy: 'eager',
    timeouts: { script: 1 },
    unhandledPromptBehavior: 'ignore',
    strictFileInteractability: true,
    'goog:loggingPrefs': { browser: 'ALL' },
    browserVersion: '156',
    browserName: 'firefox',
  };
  const cut = { platformName: 'Windows 11', webSocketUrl: true, 'se:recordVideo': true, 'x:y': 1 };
  expect(read({ ...kept, ...cut }).body).toMatchObject({
    capabilities: { alwaysMatch: { ...kept, 'goog:chromeOptions': {} } },
  });
  const { alwaysMatch } = (
    read({ ...cut, browserName: 'chrome' }).body as { capabilities: { alwaysMatch: object } }
  ).capabilities;
  expect(Object.keys(alwaysMatch)).toEqual(['goog:chromeOptions']);
});

test('options of the service are left out', () => {
  expect(read({ 'turnpike:options': { os: 'macos' }, webSocketUrl: true })).toMatchObject({
    webSocketUrl: true,
    downloads: false,
  });
});

test('clients from before the standard are understood', () => {
  const body = { desiredCapabilities: { browserName: 'chrome', javascriptEnabled: true, version: '' } };
  expect(readWanted(body, 'a:1').body).toEqual({
    capabilities: { alwaysMatch: { 'goog:chromeOptions': { debuggerAddress: 'a:1' } }, firstMatch: [{}] },
  });
});

test('another proxy and malformed bodies are refused', () => {
  const code = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      return error instanceof WrongCapabilities ? error.code : undefined;
    }
    return undefined;
  };
  expect(code(() => read({ proxy: { proxyType: 'manual' } }))).toBe('session not created');
  expect(code(() => read({}, [{ proxy: { proxyType: 'pac' } }]))).toBe('session not created');
  expect(code(() => read({ proxy: { proxyType: 'direct' } }))).toBeUndefined();
  for (const body of [null, 7, {}, { capabilities: [] }, { capabilities: { firstMatch: {} } }])
    expect(code(() => readWanted(body, 'a:1'))).toBe('invalid argument');
});

test('the answer has the session’s addresses in place of ChromeDriver’s', () => {
  const capabilities = { browserVersion: '156.0', 'goog:chromeOptions': { debuggerAddress: '127.0.0.1:9' } };
  const addresses = { base: 'wss://host', cdpId: 'br_1' };
  expect(
    describedCapabilities(capabilities, 's1', { webSocketUrl: true, downloads: true }, addresses),
  ).toEqual({
    browserVersion: '156.0',
    webSocketUrl: 'wss://host/bidi/br_1/session/s1',
    'se:cdp': 'wss://host/cdp/br_1',
    'se:cdpVersion': '156.0',
    'se:downloadsEnabled': true,
  });
});
