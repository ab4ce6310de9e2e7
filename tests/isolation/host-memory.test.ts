// @module-tag slow

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { newRequest } from '@turnpike/host/testing/test-host';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';
import { siteBehindProxy } from './site.ts';
import { asker, startSteadyClient } from './steady-client.ts';

watchLeaks();

const site = siteBehindProxy();

const pollMs = 10;

/** The most that the host had resident, in MiB, above what it had at first, until something is through. */
async function highestDuring(host: HostProcess, what: Promise<unknown>): Promise<number> {
  const before = host.residentMiB();
  let highest = before;
  let through = false;
  void what.finally(() => {
    through = true;
  });
  while (!through) {
    highest = Math.max(highest, host.residentMiB());
    await delay(pollMs);
  }
  await what;
  return highest - before;
}

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await delay(pollMs);
}

/** A client in a page: in one of its own, or in another client's. */
async function openPage(url: string, known?: string) {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await once(socket, 'open');
  const ask = asker(socket, 20_000);
  const targetId = known ?? (await ask('Target.createTarget', { url: 'about:blank' })).targetId;
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  const evaluate = async (expression: string) =>
    (await ask('Runtime.evaluate', { expression }, sessionId)).result.value;
  return { socket, ask, evaluate, sessionId, targetId };
}

it('a page that floods a client which does not read costs the host a bounded amount of memory, and no other session an error', async () => {
  await using host = await startHostProcess({ env: { TURNPIKE_HOST_SESSION_BUFFERS: '128' } });
  const flooded = await host.open(newRequest(site.proxy));
  const steady = await startSteadyClient(await host.open(newRequest(site.proxy)), site.origin);
  const { socket, ask, evaluate, sessionId, targetId } = await openPage(flooded);
  const witness = await openPage(flooded, targetId);
  await ask('Runtime.enable', {}, sessionId);
  const script = `let sent = 0; const line = 'x'.repeat(1 << 20);
    const flood = setInterval(() => { console.log(line + sent); if (++sent === 160) clearInterval(flood); })`;
  await evaluate(script);
  socket.pause();
  const highest = await highestDuring(
    host,
    until(async () => (await witness.evaluate('sent')) === 160),
  );
  witness.socket.terminate();
  const delays = await steady.stop();
  const closed = once(socket, 'close');
  socket.resume();
  const [code] = await closed;
  console.info(JSON.stringify({ floodedMiB: 160, hostGrewByMiB: highest, code, otherSession: delays }));
  expect(code).toBe(1009);
  expect(highest).toBeLessThan(350);
});

it('a client that sends large messages without waiting costs the host a bounded amount of memory', async () => {
  await using host = await startHostProcess();
  const { socket, sessionId } = await openPage(await host.open(newRequest(site.proxy)));
  const steady = await startSteadyClient(await host.open(newRequest(site.proxy)), site.origin);
  const count = 20;
  const answered = new Promise<void>((resolve) => {
    let answers = 0;
    socket.on('message', () => {
      answers += 1;
      if (answers === count) resolve();
    });
  });
  const expression = `1 // ${'x'.repeat(8 << 20)}`;
  for (let id = 1000; id < 1000 + count; id += 1) {
    socket.send(JSON.stringify({ id, method: 'Runtime.evaluate', params: { expression }, sessionId }));
  }
  const highest = await highestDuring(host, answered);
  const delays = await steady.stop();
  console.info(JSON.stringify({ sentMiB: count * 8, hostGrewByMiB: highest, otherSession: delays }));
  expect(highest).toBeLessThan(250);
  socket.terminate();
});
