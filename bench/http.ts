import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import autocannon from 'autocannon';
import fastify from 'fastify';
import { accountCalls } from '../tests/fixtures/gateway/gateway.ts';
import { startService } from '../tests/fixtures/service/service.ts';
import { inTurns, median } from './measure.ts';
import { publish } from './table.ts';

/** Compares authenticated reads from the store with a bare Fastify server that returns the same number of bytes. */

if (process.argv[2] === 'bare') {
  const app = fastify();
  app.get('/', async () => ({ limit: 5, active: 1, remaining: 4, unlimited: false }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.((app.server.address() as AddressInfo).port);
  process.on('disconnect', () => process.exit());
} else {
  await main();
}

async function main(): Promise<void> {
  const rounds = 7;
  const bare = fork(import.meta.filename, ['bare']);
  const [port] = await once(bare, 'message');
  await using service = await startService({ env: { TURNPIKE_LOG_LEVEL: 'warn' } });
  const account = accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl);
  const id = (await account.connect({ headless: 'true' })).headers.get('x-session-id') ?? '';
  const headers = { 'x-api-key': service.demoKey };
  const load = async (url: string) => {
    const result = await autocannon({ url, headers, connections: 50, duration: 2 });
    if (result.non2xx > 0) throw new Error(`${url}: ${result.non2xx} answers were not 200`);
    return result.requests.average;
  };
  const results = await inTurns(rounds, {
    'bare Fastify': () => load(`http://127.0.0.1:${port}/`),
    'GET /user/api/limits': () => load(`${service.gatewayUrl}/user/api/limits`),
    'GET /api/browser/:id/status': () => load(`${service.gatewayUrl}/api/browser/${id}/status`),
  });
  bare.disconnect();
  await account.close(id);
  const base = median(results['bare Fastify']);
  await publish(
    'http',
    'Authenticated reads, requests a second, 50 connections, SQLite',
    ['', 'requests/s', 'of bare Fastify'],
    Object.entries(results).map(([name, values]) => [
      name,
      Math.round(median(values)).toLocaleString('en'),
      `${Math.round((median(values) / base) * 100)}%`,
    ]),
    `Medians of ${rounds} rounds of 2 s, interleaved.`,
  );
}
