// @module-tag slow
import { resolverOf } from '@turnpike/host/testing/resolve-proxy';
import {
  newRequest,
  type OpenedSession,
  startTestHost,
  type TestHost,
} from '@turnpike/host/testing/test-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Socks, startSocks } from '../fixtures/network/socks.ts';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { connectBidi } from './bidi-connection.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
let web: WebServer;
let own: Squid;
let squid: Squid;
let socks: Socks;
let running: TestHost;
let session: OpenedSession;

beforeAll(async () => {
  web = all.use(await startWebServer());
  own = all.use(await startSquid());
  squid = all.use(await startSquid());
  socks = all.use(await startSocks());
  running = all.use(await startTestHost({}, undefined, undefined, resolverOf()));
  session = await running.open(newRequest(own.upstream));
});
afterAll(() => all.disposeAsync());

const proxiesTo = async (path: string) => {
  const { destinations = [] } = (await running.host.traffic(session.sessionId)) ?? {};
  expect(web.requests.some((request) => request.path === path)).toBe(true);
  return destinations.filter(({ port }) => port === web.port).map(({ proxy }) => proxy);
};

test('a user context of BiDi has a proxy of its own, and one without a proxy has the session’s', async () => {
  await using bidi = await connectBidi(session.url.replace('/cdp/', '/bidi/'));
  await bidi.call('session.new', { capabilities: {} });
  const visit = async (proxy: object, path: string) => {
    const created = await bidi.call('browser.createUserContext', { proxy });
    expect(created).toMatchObject({ type: 'success' });
    const { userContext } = created.result;
    const opened = await bidi.call('browsingContext.create', { type: 'tab', userContext });
    const { context } = opened.result;
    const went = await bidi.call('browsingContext.navigate', {
      context,
      url: web.origin + path,
      wait: 'complete',
    });
    expect(went).toMatchObject({ type: 'success' });
    await bidi.call('browser.removeUserContext', { userContext });
  };
  const address = `127.0.0.1:${squid.port}`;
  await visit({ proxyType: 'manual', httpProxy: address, sslProxy: address }, '/echo/http');
  expect(await proxiesTo('/echo/http')).toEqual([`http://${address}`]);
  const socksAddress = `127.0.0.1:${socks.port}`;
  await visit({ proxyType: 'manual', socksProxy: socksAddress, socksVersion: 5 }, '/echo/socks');
  expect((await proxiesTo('/echo/socks')).sort()).toEqual([`http://${address}`, `socks5://${socksAddress}`]);
  expect((await own.accessLog()).filter(({ target }) => target.includes('/echo/'))).toEqual([]);
  // There is no way without a proxy.
  await visit({ proxyType: 'direct' }, '/echo/direct');
  await expect
    .poll(async () => (await own.accessLog()).filter(({ target }) => target.endsWith('/echo/direct')).length)
    .toBe(1);
});
