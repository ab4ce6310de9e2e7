import { chromium, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startCountingProxy } from '../../../../tests/fixtures/network/counting-proxy.ts';
import { startWorldProxy } from '../../../../tests/fixtures/network/world-proxy.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { newRequest, startTestHost } from '../testing/test-host.ts';

watchLeaks();

const never = new AbortController().signal;
const probeUrl = new URL('http://exit.test/');

test('proxy_pin_exit=stop ends the traffic of a session whose proxy comes out elsewhere, until it has another', async () => {
  let address = '192.0.2.1';
  await using proxy = await startWorldProxy(({ host }, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(host === 'exit.test' ? address : '<title>page</title>'),
  );
  await using other = await startWorldProxy(({ host }, response) =>
    response
      .setHeader('content-type', 'text/html')
      .end(host === 'exit.test' ? '192.0.2.9' : '<title>other</title>'),
  );
  await using host = await startTestHost({ probeUrl, pinIntervalMs: 50 });
  const asked = newRequest(proxy.upstream);
  const { sessionId, url } = await host.open({ ...asked, params: { ...asked.params, proxyPinExit: 'stop' } });
  const browser = await chromium.connectOverCDP(url);
  const page = (await browser.contexts()[0]?.newPage()) as Page;
  await page.goto('http://a.test/');
  expect(await page.title()).toBe('page');
  address = '192.0.2.2';
  const use = () => host.host.readTraffic(sessionId, 10)?.proxies?.[0];
  await expect.poll(() => use()?.exitChanges, { timeout: 20_000 }).toBe(1);
  expect(use()?.exit).toMatchObject({ ip: '192.0.2.2' });
  const refused = await page.goto('http://b.test/');
  expect([refused?.status(), refused?.headers()['x-refused-by']]).toEqual([403, 'proxy_pin_exit']);
  expect(proxy.requests.some((request) => request.host === 'b.test')).toBe(false);
  expect(await host.host.changeProxy(sessionId, other.upstream, never)).toMatchObject({
    exit: { ip: '192.0.2.9' },
  });
  await page.goto('http://b.test/');
  expect(await page.title()).toBe('other');
  // Its exit cannot be read: the session could not be pinned to it.
  const label = 'name:silent';
  await using silent = await startCountingProxy();
  const upstream = { ...other.upstream, port: silent.port, label };
  await expect(host.host.changeProxy(sessionId, upstream, never)).rejects.toMatchObject({
    code: 'PROXY_UNREACHABLE',
    message: expect.stringContaining('could not be read'),
  });
  await page.goto('http://c.test/');
  expect(await page.title()).toBe('other');
  await browser.close();
  await host.host.close(sessionId);
});

test('a create with proxy_pin_exit says what is missing', async () => {
  await using proxy = await startCountingProxy();
  const upstream = { scheme: 'http', host: '127.0.0.1', port: proxy.port, addresses: ['127.0.0.1'] } as const;
  const asked = newRequest(upstream);
  const open = async (config: object, more: object = {}) => {
    await using host = await startTestHost(config);
    return await host.open({ ...asked, params: { ...asked.params, proxyPinExit: 'true', ...more } });
  };
  const refused = (text: string) => ({ code: 'PROXY_UNREACHABLE', message: expect.stringContaining(text) });
  await expect(open({})).rejects.toMatchObject(refused('TURNPIKE_PROXY_PROBE_URL'));
  await expect(open({ probeUrl }, { allowHosts: ['a.test'] })).rejects.toMatchObject(refused('exit.test'));
  // What answers there has no address.
  await expect(open({ probeUrl })).rejects.toMatchObject(refused('could not be read'));
});
