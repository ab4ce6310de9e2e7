import { expect, test } from 'vitest';
import { readLaunch } from './launch-options.ts';

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

test('launch options are read as JSON, plain or in base64', () => {
  const launch = { headless: false, stealth: true, args: ['--lang=de-DE', '--window-size=1280,800'] };
  for (const text of [JSON.stringify(launch), base64(launch)]) {
    expect(readLaunch({ launch: text })).toEqual({
      create: {
        headless: false,
        stealth: true,
        browser_language: 'de-DE',
        screen_width_min: 1280,
        screen_height_min: 800,
      },
      timeoutMs: undefined,
      viewport: undefined,
      warnings: [],
    });
  }
  for (const text of ['[]', '{', 'nonsense', base64('text')])
    expect(() => readLaunch({ launch: text })).toThrow('launch must be a JSON object, plain or in base64.');
  expect(() => readLaunch({ launch: '{"args":[1]}' })).toThrow('must be a list of strings');
});

test('arguments may stand in the query, too', () => {
  expect(readLaunch({ '--proxy-server': 'proxy.example:8000', '--headless': '' }).create).toEqual({
    proxy: 'http://proxy.example:8000',
    headless: true,
  });
});

test.for([
  ['proxy.example:3128', 'http://proxy.example:3128'],
  ['http://user:pass@proxy.example:3128', 'http://user:pass@proxy.example:3128'],
  ['socks5://proxy.example:1080', 'socks5://proxy.example:1080'],
] as const)('the proxy %s is %s', ([server, proxy]) => {
  expect(readLaunch({ launch: JSON.stringify({ args: [`--proxy-server=${server}`] }) }).create).toEqual({
    proxy,
  });
});

test('a proxy in the form of Playwright becomes a URL with encoded credentials', () => {
  const asked = { server: 'proxy.example:80', username: 'a@b', password: 'p:/w' };
  expect(readLaunch({ launch: JSON.stringify({ proxy: asked }) }).create['proxy']).toBe(
    'http://a%40b:p%3A%2Fw@proxy.example:80',
  );
  const open = { server: 'socks5://proxy.example:80' };
  expect(readLaunch({ launch: JSON.stringify({ proxy: open }) }).create['proxy']).toBe(open.server);
});

test('a directory for user data is a saved profile, which is kept', () => {
  const kept = { profile: 'shop', save_profile: true };
  expect(readLaunch({ '--user-data-dir': '/tmp/profiles/shop/' }).create).toEqual(kept);
  expect(readLaunch({ launch: '{"userDataDir":"shop"}' }).create).toEqual(kept);
  expect(readLaunch({ '--user-data-dir': 'shop', save_profile: 'false' }).create).toEqual({
    profile: 'shop',
    save_profile: 'false',
  });
});

test('what is ignored is named', () => {
  const launch = { args: ['--no-sandbox', '--disable-gpu', '--no-sandbox'], slowMo: 50, devtools: false };
  expect(readLaunch({ launch: JSON.stringify(launch), ignoreHTTPSErrors: 'true' }).warnings).toEqual([
    "Arguments of Chromium are the service's to choose. Ignored: --no-sandbox, --disable-gpu.",
    'Of launch these are ignored: slowMo.',
    'Certificates are checked. To accept any, your client sends Security.setIgnoreCertificateErrors.',
  ]);
  const many = Array.from({ length: 25 }, (_, at) => `--flag-${at}`);
  expect(readLaunch({ launch: JSON.stringify({ args: many }) }).warnings[0]).toMatch(
    /--flag-19 and 5 more\.$/,
  );
});

test('parameters of a create may stand in the query, and count first', () => {
  expect(
    readLaunch({
      token: 'key',
      os: 'linux',
      headless: 'false',
      block: 'images',
      blockAds: '',
      cache: 'news',
    }),
  ).toMatchObject({ create: { os: 'linux', headless: false, block: ['images', 'ads'], cache: 'news' } });
  expect(readLaunch({ launch: '{"headless":true}', headless: 'false' }).create).toEqual({ headless: false });
  expect(readLaunch({ blockAds: 'false', stealth: '' }).create).toEqual({ stealth: true });
  expect(readLaunch({ trackingId: 'job-1' }).create).toEqual({ metadata: { trackingId: 'job-1' } });
  expect(readLaunch({ metadata: '{"a":1}', trackingId: 'job-1' }).create).toEqual({ metadata: { a: 1 } });
});

test('a timeout is milliseconds, and zero or less is none', () => {
  expect(readLaunch({ timeout: '90000' }).timeoutMs).toBe(90_000);
  expect(readLaunch({ timeout: '0' }).timeoutMs).toBeUndefined();
  expect(readLaunch({ timeout: '-1' }).timeoutMs).toBeUndefined();
  expect(() => readLaunch({ timeout: 'soon' })).toThrow('timeout must be a number of milliseconds.');
});
