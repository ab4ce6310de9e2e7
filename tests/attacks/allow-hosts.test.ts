// @module-tag slow

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import type { RawCdp, RawPage } from './cdp.ts';
import { AttackHarness, type Session } from './harness.ts';
import { metadataAddress, publicAddress } from './namespace.ts';
import { gatherCandidates, openWebTransports, requestEach, useNames } from './page-scripts.ts';

watchLeaks({ wholeFile: true });

/** The ways of the network attacks, from a session that may reach `localhost` alone: not even its proxy hears of more. */
let harness: AttackHarness;
let session: Session;
let client: RawCdp;
let page: RawPage;
let mark: number;

const allowed = /^(?:\w+ http:\/\/localhost\.?(?:[:/].*)?|CONNECT localhost\.?:\d+)$/;

beforeAll(async () => {
  harness = await AttackHarness.open();
  harness.proxy.page('/', '<!doctype html><title>attack</title>');
  harness.proxy.page(
    '/worker.js',
    "onfetch = () => {}; onmessage = ({ data }) => fetch(data, { mode: 'no-cors' })",
  );
  session = await harness.session({ headless: 'true', allow_hosts: 'localhost' });
  client = await harness.attack(session);
  page = await client.page('http://localhost/');
});
beforeEach(() => {
  mark = harness.proxy.asked.length;
});
afterEach(async () => {
  expect(harness.proxy.askedSince(0).filter((line) => !allowed.test(line))).toEqual([]);
  await harness.expectSealed();
});
afterAll(() => harness[Symbol.asyncDispose]());

const targets = [
  'site.test',
  'site.test:443',
  'localhost.site.test',
  'sub.localhost',
  'xlocalhost',
  'localhost.',
  '127.0.0.1:5432',
  '0.0.0.0:5432',
  '[::1]:5432',
  '[::ffff:127.0.0.1]:5432',
  '2130706433:5432',
  '0x7f.1:5432',
  '127.1:5432',
  '017700000001:5432',
  metadataAddress,
  `${publicAddress}:5432`,
  '[2001:db8::1]:5432',
  'user@site.test',
  'localhost@site.test',
  'localhost%40site.test',
  'site.test%2elocalhost',
];

describe('from a session that may reach one host,', () => {
  test('navigations reach nothing else', async () => {
    for (const target of targets) await page.go(`http://${target}`);
    for (const target of targets) await page.go(`https://${target}`);
    await page.go('http://localhost/');
    expect(harness.proxy.askedSince(mark)).toContain('GET http://localhost/');
  });

  test('no request of a page reaches anything else', async () => {
    await page.run(requestEach(targets));
    await page.go('http://localhost/');
  });

  test('no service worker reaches anything else', async () => {
    await page.run(`navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
      .then(({ active }) => ${JSON.stringify(targets)}.forEach((target) => active.postMessage('http://' + target)))`);
    await expect.poll(() => harness.proxy.asked).toContain('GET http://localhost/worker.js');
  });

  test('no context with a proxy of its own reaches anything else', async () => {
    for (const options of [
      { proxyServer: `http://${publicAddress}:80` },
      { proxyServer: 'direct://' },
      { proxyServer: `socks5://${publicAddress}:1080` },
      { proxyBypassList: '*' },
    ]) {
      const { result } = await client.send('Target.createBrowserContext', options);
      if (!result) continue;
      const { browserContextId } = result;
      const attacker = await client.page('about:blank', browserContextId);
      for (const url of ['http://site.test/', 'https://site.test/', `http://${publicAddress}:5432/`]) {
        await attacker.go(url);
      }
      await client.send('Target.disposeBrowserContext', { browserContextId });
    }
  });

  test('neither do WebRTC, WebTransport, QUIC, prefetches, preconnects and names', async () => {
    await page.run(gatherCandidates(['127.0.0.1', publicAddress, 'stun.canary.test']));
    await client.send('Security.setIgnoreCertificateErrors', { ignore: true });
    expect(await page.go('https://localhost/')).toBe('');
    await page.run(openWebTransports(['localhost', 'site.test', '127.0.0.1', publicAddress]));
    await page.go('http://localhost/');
    await page.run(useNames);
    for (const url of ['http://navigate.canary.test/', 'https://navigate.canary.test/']) {
      await (await client.page(url)).close();
    }
    await client.send('Security.setIgnoreCertificateErrors', { ignore: false });
  });

  test('a client reaches nothing else by changing requests, headers or redirects', async () => {
    await page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    for (const change of [
      { url: 'http://site.test/' },
      { headers: [{ name: 'Host', value: 'site.test' }] },
      { url: 'http://localhost/', headers: [{ name: 'host', value: 'site.test:80' }] },
    ]) {
      const paused = client.event(({ method }) => method === 'Fetch.requestPaused');
      const loaded = page.go('http://localhost/');
      const requestId = (await paused)?.params.requestId;
      const { error } = await page.send('Fetch.continueRequest', { requestId, ...change });
      // Chromium itself refuses some changes, and leaves the request paused.
      if (error) await page.send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
      await loaded;
    }
    await page.send('Fetch.disable');
    await page.send('Network.enable');
    await page.send('Network.setExtraHTTPHeaders', { headers: { Host: 'site.test' } });
    await page.go('http://localhost/');
    await page.send('Network.setExtraHTTPHeaders', { headers: {} });
    await page.send('Network.loadNetworkResource', {
      url: 'http://site.test/',
      options: { disableCache: true, includeCredentials: false },
    });
  });

  test('its ledger names what it reached and what was refused', async () => {
    const { gatewayUrl, demoKey } = harness.service;
    const { text } = await harness.request(`${gatewayUrl}/api/browser/${session.id}/traffic`, {
      headers: { 'x-api-key': demoKey },
    });
    const { destinations, other, bytesUp, bytesDown, refused } = JSON.parse(text);
    const carried = destinations.filter((use: { bytesUp: number }) => use.bytesUp > 0);
    expect(new Set(carried.map(({ host }: { host: string }) => host))).toEqual(
      new Set(['localhost', 'turnpike-check.invalid']),
    );
    expect(refused.allow_hosts).toBeGreaterThan(targets.length);
    const sum = [...destinations, other].reduce(
      (all, use) => [all[0] + use.bytesUp, all[1] + use.bytesDown],
      [0, 0],
    );
    expect(sum).toEqual([bytesUp, bytesDown]);
  });
});
