import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { newRequest, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Squid, startSquid } from '../fixtures/network/squid.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { pidsOf } from './session-group.ts';
import { asker } from './steady-client.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let squid: Squid;
let host: TestHost;

beforeAll(async () => {
  squid = all.use(await startSquid());
  host = all.use(await startTestHost());
});
afterAll(() => all.disposeAsync());

const endOf = (sessionId: string) => host.ended.find((end) => end.sessionId === sessionId);

/** Finds the browser of the one session that runs. */
function browserPid(): number {
  const isBrowser = /^\S*\/chromium --remote-debugging-pipe/;
  const found = pidsOf('chromium').find((pid) =>
    isBrowser.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ')),
  );
  if (found === undefined) throw new Error('no browser runs');
  return found;
}

async function connect(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  return socket;
}

test('a browser that a client tells to quit was closed', async () => {
  const { sessionId, url } = await host.open(newRequest(squid.upstream));
  const socket = await connect(url);
  const closed = once(socket, 'close');
  socket.send(JSON.stringify({ id: 1, method: 'Browser.close' }));
  await expect.poll(() => endOf(sessionId)).toMatchObject({ cause: 'gone', reason: 'browser_closed' });
  const [code, reason] = await closed;
  expect([code, String(reason)]).toEqual([4002, 'DEAD']);
});

test('a browser that crashes says by which signal', async () => {
  const { sessionId } = await host.open(newRequest(squid.upstream));
  process.kill(browserPid(), 'SIGSEGV');
  await expect
    .poll(() => endOf(sessionId))
    .toMatchObject({ cause: 'gone', reason: 'browser_crashed', signal: 'SIGSEGV' });
});

test('a browser that the kernel takes because its session has no more memory says so', async () => {
  await using capped = await startTestHost({ sessionMemoryBytes: 400 * 2 ** 20 });
  const { sessionId, url } = await capped.open(newRequest(squid.upstream));
  // The kernel prefers the page that eats; here it is to take the browser itself.
  writeFileSync(`/proc/${browserPid()}/oom_score_adj`, '1000');
  const socket = await connect(url);
  const closed = once(socket, 'close');
  const ask = asker(socket, 10_000);
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId: page } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const expression = 'const all = []; for (;;) all.push(new Uint8Array(8 << 20).fill(1))';
  ask('Runtime.evaluate', { expression }, page).catch(() => {});
  await expect
    .poll(() => capped.ended)
    .toMatchObject([{ sessionId, cause: 'gone', reason: 'out_of_memory', signal: 'SIGKILL' }]);
  expect((await closed)[0]).toBe(4002);
});

test('a session without traffic is closed as idle', async () => {
  const { sessionId } = await host.open(newRequest(squid.upstream, { idleMs: 500 }));
  await expect.poll(() => endOf(sessionId)).toMatchObject({ cause: 'closed', reason: 'idle' });
});

test('close_on_disconnect closes a session after its last client, and not before its first', {
  tags: 'slow',
}, async () => {
  const open = () => {
    const request = newRequest(squid.upstream);
    return host.open({ ...request, params: { ...request.params, closeOnDisconnect: 1 } });
  };
  const [unused, left, used] = [await open(), await open(), await open()];
  const stays = await connect(used.url);
  for (const { url } of [used, left]) {
    const leaves = await connect(url);
    leaves.close();
    await once(leaves, 'close');
  }
  // The last client left this one after the client that left the other one, which still has a client.
  await expect.poll(() => endOf(left.sessionId)).toMatchObject({ cause: 'closed', reason: 'idle' });
  expect([endOf(used.sessionId), endOf(unused.sessionId)]).toEqual([undefined, undefined]);
  stays.close();
  await expect.poll(() => endOf(used.sessionId)).toMatchObject({ cause: 'closed', reason: 'idle' });
  expect(endOf(unused.sessionId)).toBeUndefined();
  await host.host.close(unused.sessionId);
});

test('a session that a host opens when it is told to stop finds no seat there, and may go elsewhere', async () => {
  await using stopping = await startTestHost();
  const opening = stopping.open(newRequest(squid.upstream));
  const refused = expect(opening).rejects.toMatchObject({ code: 'NO_SEAT' });
  await stopping.host.shutdown();
  await refused;
});

test('messages keep a session from being idle', { tags: 'slow' }, async () => {
  const idleMs = 4000;
  const { sessionId, url } = await host.open(newRequest(squid.upstream, { idleMs }));
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
  await expect.poll(() => endOf(sessionId)).toMatchObject({ cause: 'closed', reason: 'idle' });
  expect(performance.now() - began).toBeGreaterThan(idleMs * 2);
  expect(answers).toBeGreaterThan(5);
});
