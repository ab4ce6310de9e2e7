import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@turnpike/process/logger';
import autocannon from 'autocannon';
import fastify from 'fastify';
import { sql } from 'kysely';
import { createAccount, setLimits } from '../apps/gateway/src/accounts/manage-account.ts';
import { type Database, openDatabase } from '../apps/gateway/src/store/database.ts';
import { startPostgres } from '../tests/fixtures/database/postgres.ts';
import { accountCalls, testSealer } from '../tests/fixtures/gateway/gateway.ts';
import { startClusterGateway, startStandInHost } from '../tests/fixtures/service/cluster.ts';
import { holdRate } from './held-rate.ts';
import { type Latency, latencyPlot } from './latency-plot.ts';
import { publishStoreCosts } from './store-cost.ts';
import { publish, tableOf } from './table.ts';

/**
 * `npm run load`: measures two gateways on one PostgreSQL with status, limits and refused-create requests of many
 * accounts: the maximum rate for several numbers of connections, and the latency at fixed rates. Compares them with two
 * bare Fastify servers, and with the same running `SELECT 1`. Also counts the statements of each call.
 */
const connectionSteps = [16, 64, 256];
const heldRates = [250, 500, 1000, 2000, 4000];
const secondsEach = 3;
const accountCount = 64;

interface Measured {
  what: string;
  connections: number;
  requestsPerSecond: number;
}

interface Target {
  what: string;
  urls: string[];
  /** Sent one after the other, one for each account. */
  requests: autocannon.Request[];
  expected: number;
}

if (process.argv[2] === 'bare') await serveBare(process.argv[3] ?? '');
else await main();

/** The minimum cost of a request, without the store and with it. */
async function serveBare(url: string): Promise<void> {
  const db = await openDatabase({ engine: 'postgres', url }, createLogger('silent'));
  const app = fastify();
  const answer = { limit: 5, active: 1, remaining: 4, unlimited: false };
  app.get('/', async () => answer);
  app.get('/select', async () => {
    await sql`SELECT 1`.execute(db);
    return answer;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.send?.((app.server.address() as AddressInfo).port);
  process.on('disconnect', () => process.exit());
}

async function main(): Promise<void> {
  const loadAtStart = os.loadavg()[0] ?? 0;
  await using undo = new AsyncDisposableStack();
  const postgres = undo.use(await startPostgres({ durable: true }));
  const url = await postgres.createDatabase();
  const env = { TURNPIKE_LOG_LEVEL: 'warn' };
  const gateways = [await startClusterGateway(url, env), await startClusterGateway(url, env)];
  for (const gateway of gateways) undo.use(gateway);
  undo.use(await startStandInHost('load-host', gateways, { ...env, TURNPIKE_HOST_SEATS: '1000' }));
  const db = undo.adopt(
    await openDatabase({ engine: 'postgres', url }, createLogger('silent')),
    (open: Database) => open.destroy(),
  );
  const bare = [await startBare(url), await startBare(url)];
  for (const { child } of bare) undo.defer(() => void child.disconnect());

  const accounts = await Promise.all(
    Array.from({ length: accountCount }, (_, index) =>
      fullAccount(db, gateways[index % 2]?.url ?? '', index),
    ),
  );
  const gatewayUrls = gateways.map((gateway) => gateway.url);
  const bareUrls = bare.map(({ port }) => `http://127.0.0.1:${port}`);
  const ofAccounts = (request: (account: FullAccount) => autocannon.Request): autocannon.Request[] =>
    accounts.map((account) => ({ headers: account.headers, ...request(account) }));
  const json = { 'content-type': 'application/json' };
  const targets: Target[] = [
    { what: 'bare Fastify', urls: bareUrls, requests: [{ path: '/' }], expected: 200 },
    { what: 'Fastify and `SELECT 1`', urls: bareUrls, requests: [{ path: '/select' }], expected: 200 },
    {
      what: 'GET /user/api/limits',
      urls: gatewayUrls,
      expected: 200,
      requests: ofAccounts(() => ({ path: '/user/api/limits' })),
    },
    {
      what: 'GET /api/browser/:id/status',
      urls: gatewayUrls,
      expected: 200,
      requests: ofAccounts(({ sessionId }) => ({ path: `/api/browser/${sessionId}/status` })),
    },
    {
      what: 'a create, refused with 429',
      urls: gatewayUrls,
      expected: 429,
      requests: ofAccounts(({ headers }) => ({
        path: '/api/browser/create',
        method: 'POST',
        headers: { ...headers, ...json },
        body: JSON.stringify({ proxy: 'http://198.51.100.7:3128' }),
      })),
    },
  ];
  const measured: Measured[] = [];
  for (const target of targets) await load(target, 32, 1);
  for (const connections of connectionSteps) {
    for (const target of targets) measured.push(await load(target, connections, secondsEach));
  }
  const latencies: Latency[] = [];
  for (const perSecond of heldRates) {
    for (const target of targets) {
      latencies.push({ what: target.what, ...(await holdRate(target, perSecond, secondsEach)) });
    }
  }
  await report(measured, latencies, await liveAndClose(db, gatewayUrls), loadAtStart);
  await publishStoreCosts(postgres);
}

/** Sessions a second from create to close, by 32 clients with one account each, on simulated browsers. */
async function liveAndClose(db: Database, urls: readonly string[]): Promise<number> {
  const endAt = performance.now() + secondsEach * 1000;
  const counts = await Promise.all(
    Array.from({ length: 32 }, async (_, index) => {
      const email = `cycles-${index}@example.com`;
      const { apiKey } = await createAccount(db, testSealer, { email, name: '' });
      await setLimits(db, email, { creates_per_minute: 100_000, browser_seconds_cap: null });
      const account = accountCalls(urls[index % urls.length] ?? '', apiKey);
      let count = 0;
      while (performance.now() < endAt) {
        const { status, text, json } = await account.create();
        if (status !== 200) throw new Error(`no session: ${status} ${text}`);
        await account.close(json.browserId);
        count += 1;
      }
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0) / secondsEach;
}

interface FullAccount {
  headers: Record<string, string>;
  sessionId: string;
}

/** Creates an account with one slot, and a session in it: every further create is refused. */
async function fullAccount(db: Database, url: string, index: number): Promise<FullAccount> {
  const email = `load-${index}@example.com`;
  const { apiKey } = await createAccount(db, testSealer, { email, name: '' });
  await setLimits(db, email, { concurrent_limit: 1, creates_per_minute: 1000 });
  // Hosts take a moment to join.
  for (const deadline = performance.now() + 20_000; ; ) {
    const { status, text, json } = await accountCalls(url, apiKey).create();
    if (status === 200) return { headers: { 'x-api-key': apiKey }, sessionId: json.browserId };
    if (status !== 503 || performance.now() > deadline) throw new Error(`no session: ${status} ${text}`);
  }
}

async function startBare(url: string): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(import.meta.filename, ['bare', url]);
  const [port] = await once(child, 'message');
  return { child, port };
}

/** Loads both processes at once, with half of the connections each. */
async function load(target: Target, connections: number, duration: number): Promise<Measured> {
  const { what, urls, requests, expected } = target;
  const results = await Promise.all(
    urls.map((url) =>
      autocannon({
        url,
        requests,
        connections: connections / urls.length,
        duration,
        // Each connection starts with another account. Otherwise all would use the same account at the same time.
        setupClient: (client) => client.setRequests(rotated(requests)),
      }),
    ),
  );
  for (const result of results) {
    const answered = result.statusCodeStats?.[`${expected}`]?.count ?? 0;
    if (answered < result.requests.total)
      throw new Error(`${what}: ${JSON.stringify(result.statusCodeStats)}`);
  }
  return {
    what,
    connections,
    requestsPerSecond: results.reduce((total, { requests: made }) => total + made.average, 0),
  };
}

function rotated<T>(items: T[]): T[] {
  const first = Math.floor(Math.random() * items.length);
  return [...items.slice(first), ...items.slice(0, first)];
}

async function report(
  measured: readonly Measured[],
  latencies: readonly Latency[],
  cyclesPerSecond: number,
  loadAtStart: number,
): Promise<void> {
  const rate = (what: string, connections: number) =>
    measured.find((one) => one.what === what && one.connections === connections)?.requestsPerSecond ??
    Number.NaN;
  const share = ({ requestsPerSecond, connections }: Measured, of: string) =>
    `${Math.round((requestsPerSecond / rate(of, connections)) * 100)}%`;
  const busy =
    loadAtStart > 2
      ? ` **Not comparable with other results**: other programs used the machine too (load average ${loadAtStart.toFixed(1)} at the start).`
      : '';
  await publish(
    'load',
    'Two gateways on one PostgreSQL: maximum requests a second',
    ['', 'connections', 'requests/s', 'of bare Fastify', 'of Fastify and `SELECT 1`'],
    measured.map((one) => [
      one.what,
      one.connections,
      Math.round(one.requestsPerSecond).toLocaleString('en'),
      share(one, 'bare Fastify'),
      share(one, 'Fastify and `SELECT 1`'),
    ]),
    `Two processes each, ${secondsEach} s a step, ${accountCount} accounts in turn. PostgreSQL and the load generator run on the same machine.${busy} Two gateways with 32 clients opened and closed ${Math.round(cyclesPerSecond)} sessions a second, on simulated browsers.\n\n${latencyTable(latencies)}\n\n![latency](load.svg)`,
  );
  await writeFile(join(import.meta.dirname, 'results/load.svg'), latencyPlot(latencies));
}

function latencyTable(latencies: readonly Latency[]): string {
  const rows = [...Map.groupBy(latencies, ({ what }) => what)].map(([what, all]) => [
    what,
    ...all.map(
      ({ p50, p99, failed }) =>
        `${p50.toFixed(1)} / ${p99.toFixed(1)}${failed > 0 ? `, ${failed} failed` : ''}`,
    ),
  ]);
  return `Milliseconds from the time a request was due to its response, median / 99th percentile, at fixed request rates:\n\n${tableOf(['', ...heldRates.map((perSecond) => `${perSecond.toLocaleString('en')}/s`)], rows)}`;
}
