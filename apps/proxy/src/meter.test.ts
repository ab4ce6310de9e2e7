import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { MeterReport } from '@turnpike/contract/bandwidth';
import { Connection } from '@turnpike/tunnel/sockets/connection';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { listen } from '../../../tests/fixtures/network/listen.ts';
import { Meter } from './meter.ts';
import { ProxyMetrics } from './proxy-metrics.ts';

const metrics = () => new ProxyMetrics(new Registry());
const owner = { accountId: 'acc_1', product: 'residential', country: 'US' } as const;

/** Two ends of a real connection. */
async function connection(): Promise<{ near: Socket; far: Socket; end(): Promise<void> }> {
  const server = createServer();
  await listen(server);
  const accepted = once(server, 'connection');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
  const far = connect(address.port, '127.0.0.1');
  const [near] = (await accepted) as [Socket];
  return {
    near,
    far,
    async end() {
      const closed = [once(near, 'close'), once(far, 'close'), once(server, 'close')];
      near.destroy();
      far.destroy();
      server.close();
      await Promise.all(closed);
    },
  };
}

/** The last that was reported of each day. */
function byDay(reports: readonly MeterReport[]): Record<string, bigint> {
  return Object.fromEntries(
    reports.flatMap(({ counters }) => counters.map(({ day, bytes }) => [day, bytes])),
  );
}

async function send(from: Socket, to: Socket, bytes: number): Promise<void> {
  const before = to.bytesRead;
  to.removeAllListeners('readable').resume();
  from.write(Buffer.alloc(bytes));
  while (to.bytesRead < before + bytes) await once(to, 'data');
}

test('bytes count on the day they flowed, while the connection is open, both ways, and once', async () => {
  let now = Date.UTC(2024, 1, 29, 23, 59, 59, 999);
  const reports: MeterReport[] = [];
  const backend = {
    authenticate: async () => undefined,
    refused: async () => [],
    report: async (report: MeterReport) => void reports.push(report),
  };
  const meter = new Meter(backend, pino({ level: 'silent' }), metrics(), () => now);
  const { near, far, end } = await connection();
  const client = new Connection(near);
  const metered = meter.connection(client);
  await send(far, near, 40); // The handshake, before it is anybody's.
  await client.readExactly(40);
  metered.assign(owner);
  await send(near, far, 60);
  await meter.report();
  expect(byDay(reports)).toEqual({ '2024-02-29': 100n });

  now += 1;
  await meter.report();
  await send(far, near, 7);
  await client.readExactly(7);
  await meter.report();
  await meter.report();
  expect(byDay(reports)).toEqual({ '2024-02-29': 100n, '2024-03-01': 7n });
  expect(reports).toHaveLength(2);

  await send(near, far, 3);
  await end();
  await meter.stop();
  expect(byDay(reports)).toEqual({ '2024-02-29': 100n, '2024-03-01': 10n });
});

test('what a report that failed held is in the next one', async () => {
  const reports: MeterReport[] = [];
  let failing = true;
  const backend = {
    authenticate: async () => undefined,
    refused: async () => [],
    async report(report: MeterReport) {
      if (failing) throw new Error('the store is away');
      reports.push(report);
    },
  };
  const meter = new Meter(backend, pino({ level: 'silent' }), metrics());
  const { near, far, end } = await connection();
  const client = new Connection(near);
  meter.connection(client).assign(owner);
  await send(far, near, 1000);
  await client.readExactly(1000);
  await meter.report();
  failing = false;
  await end();
  await meter.stop();
  expect(Object.values(byDay(reports))).toEqual([1000n]);
});
