import type { OpenRequest, UpstreamProxy } from '@turnpike/contract/host';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startBadProxies } from '../../../../tests/fixtures/network/bad-proxies.ts';
import { startSquid } from '../../../../tests/fixtures/network/squid.ts';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { newRequest, startTestHost } from '../testing/test-host.ts';

watchLeaks();

/** What the first to look sees. */
async function targets(url: string): Promise<string[]> {
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.once('open', resolve));
  const answer = new Promise<string>((resolve) => socket.once('message', (data) => resolve(String(data))));
  socket.send(JSON.stringify({ id: 1, method: 'Target.getTargets' }));
  const { targetInfos } = JSON.parse(await answer).result;
  socket.close();
  return targetInfos.map(({ type, url }: { type: string; url: string }) => `${type} ${url}`);
}

it('a session in another language takes a warm browser in which nothing is left of what that took', async () => {
  await using squid = await startSquid();
  await using bad = await startBadProxies();
  await using running = await startTestHost({ warm: { headful: 0, headless: 1 }, seats: 1 });
  await running.host.warmed();
  const through = (port: number): OpenRequest => {
    const proxy: UpstreamProxy = { scheme: 'http', host: '127.0.0.1', port, addresses: ['127.0.0.1'] };
    const { params, ...request } = newRequest(proxy);
    return { ...request, params: { ...params, browserLanguage: 'de-AT' } };
  };
  await expect(running.open(through(bad.refuses))).rejects.toMatchObject({ code: 'PROXY_UNREACHABLE' });
  const { url, sessionId } = await running.open(through(squid.port));
  const opened = running.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'browser opened');
  expect(opened).toMatchObject([{ sessionId, warm: true }]);
  expect(await targets(url)).toEqual(['page about:blank']);
  await running.host.close(sessionId);
});
