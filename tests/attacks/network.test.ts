import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach } from '../fixtures/suite/matrix.ts';
import type { RawCdp, RawPage } from './cdp.ts';
import type { CustomerProxy } from './customer-proxy.ts';
import { AttackHarness, type Session } from './harness.ts';
import { modes } from './modes.ts';
import { metadataAddress, publicAddress } from './namespace.ts';
import { countDevices, gatherCandidates, openWebTransports, requestEach, useNames } from './page-scripts.ts';

watchLeaks({ wholeFile: true });

let harness: AttackHarness;
let otherSession: Session;

beforeAll(async () => {
  harness = await AttackHarness.open();
  otherSession = await harness.session({ headless: 'true' });
  harness.proxy.page('/', '<!doctype html><title>attack</title>');
  harness.proxy.page(
    '/worker.js',
    "onfetch = () => {}; onmessage = ({ data }) => fetch(data, { mode: 'no-cors' })",
  );
});
afterEach(() => harness.expectSealed());
afterAll(() => harness[Symbol.asyncDispose]());

/** Everything worth reaching on the host, in the spellings that filters miss. */
function hostTargets(): string[] {
  const port = (url: string) => new URL(url).port;
  const { service, proxy } = harness;
  const listeners = [service.gatewayUrl, service.hostUrl, service.proxyUrl].map(
    (url) => `127.0.0.1:${port(url)}`,
  );
  return [
    ...listeners,
    `localhost:${proxy.port}`,
    '127.0.0.1:5432',
    '127.0.0.1:9222',
    '127.0.0.1:3128',
    '0.0.0.0:5432',
    '[::1]:5432',
    '[::ffff:127.0.0.1]:5432',
    'localhost:5432',
    'any.localhost:5432',
    '2130706433:5432',
    '0x7f.1:5432',
    '127.1:5432',
    '017700000001:5432',
    metadataAddress,
    `${publicAddress}:5432`,
    '[2001:db8::1]:5432',
    `127.0.0.1:${port(service.hostUrl)}/cdp/${otherSession.cdpId}/json/version`,
  ];
}

describeEach(modes)('from a $name browser,', ({ headless }) => {
  let client: RawCdp;
  let page: RawPage;
  let idle: { proxy: CustomerProxy; since: number };

  beforeAll(async () => {
    const proxy = await harness.addProxy();
    await harness.session({ headless, proxy: proxy.url });
    idle = { proxy, since: performance.now() };
    client = await harness.attack(await harness.session({ headless }));
    page = await client.page('http://localhost/');
  });

  test('navigations to the host go to the customer’s proxy, which is the right place, or nowhere', {
    tags: 'slow',
  }, async () => {
    for (const target of hostTargets()) {
      const mark = harness.proxy.asked.length;
      const url = `http://${target}`;
      const outcome = await page.go(url);
      const { href } = new URL(url);
      expect([outcome, ...harness.proxy.askedSince(mark)]).toContain(
        outcome === '' ? `GET ${href}` : outcome,
      );
    }
    expect(harness.proxy.asked).toEqual(
      expect.arrayContaining([
        'GET http://127.0.0.1:5432/',
        'GET http://[::1]:5432/',
        'GET http://localhost:5432/',
        `GET http://${metadataAddress}/`,
      ]),
    );
    await page.go('http://localhost/');
  });

  test('no request of a page reaches the host: fetch, WebSocket, images, frames, beacons, events', async () => {
    const mark = harness.proxy.asked.length;
    await page.run(requestEach(hostTargets()));
    expect(harness.proxy.askedSince(mark)).toContain('CONNECT 127.0.0.1:5432');
    await page.go('http://localhost/');
  });

  test('no service worker reaches the host', async () => {
    await page.run(`navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)
      .then(({ active }) => ${JSON.stringify(hostTargets())}.forEach((target) => active.postMessage('http://' + target)))`);
    await expect.poll(() => harness.proxy.asked).toContain('GET http://localhost/worker.js');
  });

  test('no context with a proxy or a bypass list of its own gets out', { tags: 'slow' }, async () => {
    // Not at 127.0.0.1, where this service takes any proxy.
    const own = [80, 443, 1080, harness.proxy.port].flatMap((port) =>
      ['http', 'https', 'socks4', 'socks5', 'quic'].map((scheme) => `${scheme}://${publicAddress}:${port}`),
    );
    own.push('direct://');
    const servers = [
      ...own.map((proxyServer) => ({ proxyServer })),
      { proxyBypassList: '*' },
      { proxyServer: `http://${publicAddress}:3128`, proxyBypassList: '*' },
      {
        proxyServer: `http://${publicAddress}:3128`,
        proxyBypassList: `localhost;127.0.0.1;${publicAddress}`,
      },
    ];
    const queue = servers.values();
    const some = async () => {
      for (const options of queue) await tryContext(options);
    };
    await Promise.all([some(), some(), some()]);
  });

  async function tryContext(options: { proxyServer?: string; proxyBypassList?: string }): Promise<void> {
    const { result } = await client.send('Target.createBrowserContext', options);
    if (!result) return; // Refused outright.
    const { browserContextId } = result;
    const attacker = await client.page('about:blank', browserContextId);
    for (const url of ['http://127.0.0.1:5432/', `http://${publicAddress}:5432/`]) {
      const outcome = await attacker.go(url);
      // It has the session's, which has no such page: the counters say whether that is all.
      expect(outcome).toMatch(/^(|net::ERR_HTTP_RESPONSE_CODE_FAILURE)$/);
    }
    await client.send('Target.disposeBrowserContext', { browserContextId });
  }

  /** In the session's own context, and in one that asks for no proxy at all. */
  async function inEachContext(attack: (page: RawPage) => Promise<void>): Promise<void> {
    await attack(page);
    const { browserContextId } = await client.call('Target.createBrowserContext', {
      proxyBypassList: '*',
    });
    const attacker = await client.page('about:blank', browserContextId);
    // The secure origin comes from an interception: there is nowhere to load it from.
    await attacker.send('Fetch.enable', { patterns: [{ urlPattern: 'https://localhost/' }] });
    const paused = client.event(({ method }) => method === 'Fetch.requestPaused');
    const loaded = attacker.go('https://localhost/');
    const requestId = (await paused)?.params.requestId;
    await attacker.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      body: btoa('<title>x</title>'),
    });
    await loaded;
    await attacker.send('Fetch.disable');
    expect(await attacker.run('isSecureContext')).toBe(true);
    await attack(attacker);
    await client.send('Target.disposeBrowserContext', { browserContextId });
  }

  test('WebRTC reaches no STUN or TURN server and knows no address of the host', () =>
    inEachContext(async (attacker) => {
      const hosts = ['127.0.0.1', '[::1]', publicAddress, metadataAddress, 'stun.canary.test'];
      const candidates: string = await attacker.run(gatherCandidates(hosts));
      expect(candidates).toContain('v=0');
      expect(candidates).not.toMatch(/typ (srflx|relay|prflx)/);
      expect(candidates).not.toContain(publicAddress);
    }));

  test('QUIC and WebTransport send no datagram, invited or not', async () => {
    await client.send('Security.setIgnoreCertificateErrors', { ignore: true });
    await page.send('Security.setIgnoreCertificateErrors', { ignore: true });
    const mark = harness.proxy.asked.length;
    expect(await page.go('https://localhost/')).toBe('');
    // The site invites to QUIC with every answer.
    expect(await page.run("fetch('/').then((answer) => answer.headers.get('alt-svc'))")).toContain('h3=');
    expect(await page.go('https://localhost/')).toBe('');
    expect(harness.proxy.askedSince(mark)).toContain('CONNECT localhost:443');
    await inEachContext(async (attacker) => {
      const hosts = ['localhost', '127.0.0.1', '[::1]', publicAddress];
      const opened = await attacker.run(openWebTransports(hosts));
      expect(opened).toMatch(/^(refused,?)+$/);
    });
    await page.send('Security.setIgnoreCertificateErrors', { ignore: false });
    await client.send('Security.setIgnoreCertificateErrors', { ignore: false });
    await page.go('http://localhost/');
  });

  test('no name is looked up on the host: prefetch, preconnect, prerender, requests, PAC and WPAD names', () =>
    inEachContext(async (attacker) => {
      await attacker.run(useNames);
      for (const url of [
        'http://navigate.canary.test/',
        'https://navigate.canary.test/',
        'http://printer.local/',
      ]) {
        const other = await client.page(url);
        await other.close();
      }
    }));

  test('no discovery is broadcast, and no device of the host is offered', () =>
    inEachContext(async (attacker) => {
      await attacker.send('Cast.enable');
      await attacker.send('DeviceAccess.enable');
      expect(await attacker.run(countDevices)).toBe(0);
    }));

  test('no command makes the browser connect or listen by itself', async () => {
    const locations = [9222, 5432].map((port) => ({ host: '127.0.0.1', port }));
    for (const from of [client, page]) {
      await from.send('Target.setRemoteLocations', { locations });
      await from.send('Target.setDiscoverTargets', { discover: true });
      await from.send('Tethering.bind', { port: 9229 + 1 });
      await from.send('Target.exposeDevToolsProtocol', { targetId: page.targetId, bindingName: 'cdp' });
    }
    const { result } = await client.send('Target.getTargets');
    expect(JSON.stringify(result)).not.toMatch(/:9222\b/);
    await client.send('Target.setDiscoverTargets', { discover: false });
    // What it may have bound is in its own namespace: on the host nobody listens.
    await expect(harness.namespace.connection(9230)).rejects.toThrow('ECONNREFUSED');
    await expect(harness.namespace.connection(9230, publicAddress)).rejects.toThrow('ECONNREFUSED');
    const inspect = await client.page('chrome://inspect'); // Looks for targets at localhost:9222 and 9229.
    await inspect.text();
    await inspect.close();
  });

  test('an idle browser asks for nothing', async () => {
    // It has been idle while the others ran.
    await delay(Math.max(0, 10_000 - (performance.now() - idle.since)));
    expect(idle.proxy.askedSince(0)).toEqual([]);
  });
});
