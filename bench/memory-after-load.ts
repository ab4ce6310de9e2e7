import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { WebSocket } from 'ws';
import { accountCalls } from '../tests/fixtures/gateway/gateway.ts';
import { startService } from '../tests/fixtures/service/service.ts';
import { asker } from '../tests/isolation/steady-client.ts';
import { publish } from './table.ts';

/** Measures the service's resident memory before load, under load, and in the minute after it. */

const sessions = 8;
const largeMessages = 4;

await using service = await startService({ env: { TURNPIKE_LOG_LEVEL: 'warn' } });
const limits = ['--creates-per-minute', '100000', '--browser-hours', 'unlimited', '--concurrent', '100'];
await service.turnpike('account', 'set', 'demo@example.com', ...limits);
const account = accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl);
const rows: [string, string][] = [];

function note(what: string): void {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'latin1');
  const mebibytes = Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
  rows.push([what, String(mebibytes)]);
  console.error(what, mebibytes);
}

async function requests(path: string, connections: number): Promise<void> {
  const headers = { 'x-api-key': service.demoKey };
  await autocannon({ url: service.gatewayUrl + path, connections, duration: 10, headers });
}

/** Requests responses of 20 MB each, one after the other. */
async function readLarge(url: string): Promise<void> {
  const socket = new WebSocket(url, { perMessageDeflate: false });
  await new Promise((resolve) => socket.once('open', resolve));
  const ask = asker(socket, 60_000);
  const { targetId } = await ask('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
  for (let i = 0; i < largeMessages; i++) {
    await ask('Runtime.evaluate', { expression: "'x'.repeat(20e6)" }, sessionId);
  }
  socket.terminate();
}

await delay(10_000);
note('idle');
await requests('/api/browsers', 200);
await requests('/health', 500);
await requests('/connect?proxy=none', 200);
note('after 30 s of requests, up to 500 at a time');
const opened = await Promise.all(
  Array.from({ length: sessions }, () => account.connect({ headless: 'true' })),
);
await Promise.all(opened.map(({ text }) => readLarge(text)));
note(`after ${sessions} sessions with answers of 20 MB`);
await Promise.all(opened.map(({ headers }) => account.close(headers.get('x-session-id') ?? '')));
for (const seconds of [20, 40, 60]) {
  await delay(20_000);
  note(`${seconds} s later`);
}
await publish('memory-after-load', 'Resident memory of the service, MiB', ['', 'MiB'], rows);
