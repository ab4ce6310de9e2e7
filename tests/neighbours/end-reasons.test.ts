import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { UpstreamProxy } from '@turnpike/contract/host';
import { newRequest, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { watchLeaks } from '../fixtures/leaks.ts';
import { type Squid, startSquid } from '../fixtures/squid.ts';
import { pidsOf } from './session-group.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let squid: Squid;
let host: TestHost;

beforeAll(async () => {
  squid = all.use(await startSquid());
  host = all.use(await startTestHost());
});
afterAll(() => all.disposeAsync());

const bound = { timeout: 20_000 };
const proxy = (): UpstreamProxy => ({
  ...{ scheme: 'http', host: '127.0.0.1', port: squid.port },
  addresses: ['127.0.0.1'],
});
const endOf = (sessionId: string) => host.ended.find((end) => end.sessionId === sessionId);

async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  return socket;
}

test('a browser that a client tells to quit was closed', async () => {
  const { sessionId, url } = await host.open(newRequest(proxy()));
  const socket = await connect(url);
  const closed = once(socket, 'close');
  socket.send(JSON.stringify({ id: 1, method: 'Browser.close' }));
  await expect.poll(() => endOf(sessionId), bound).toMatchObject({ cause: 'gone', reason: 'browser_closed' });
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4002, 'DEAD']);
});

test('a browser that crashes says by which signal', async () => {
  const { sessionId } = await host.open(newRequest(proxy()));
  const isBrowser = /^\S*\/chromium --remote-debugging-pipe/;
  const browser = pidsOf('chromium').find((pid) =>
    isBrowser.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')),
  );
  process.kill(browser ?? 0, 'SIGSEGV');
  await expect
    .poll(() => endOf(sessionId), bound)
    .toMatchObject({ cause: 'gone', reason: 'browser_crashed', signal: 'SIGSEGV' });
});

test('a session without traffic is closed as idle', async () => {
  const { sessionId } = await host.open(newRequest(proxy(), { idleMs: 500 }));
  await expect.poll(() => endOf(sessionId), bound).toMatchObject({ cause: 'closed', reason: 'idle' });
});

test('messages keep a session from being idle', async () => {
  const idleMs = 4000;
  const { sessionId, url } = await host.open(newRequest(proxy(), { idleMs }));
  const socket = await connect(url);
  const began = performance.now();
  let answers = 0;
  // Each answer asks the next question, and is late enough for the time to pass in few of them.
  const ask = () => setTimeout(() => socket.send('{"id":1,"method":"Browser.getVersion"}'), 100);
  socket.on('message', () => {
    answers++;
    if (performance.now() - began < idleMs * 1.5) ask();
  });
  ask();
  await expect.poll(() => endOf(sessionId), bound).toMatchObject({ cause: 'closed', reason: 'idle' });
  expect(performance.now() - began).toBeGreaterThan(idleMs * 2);
  expect(answers).toBeGreaterThan(5);
});
