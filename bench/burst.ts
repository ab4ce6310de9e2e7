import { chromium } from 'playwright-core';
import { accountCalls } from '../tests/fixtures/gateway/gateway.ts';
import { startSquid } from '../tests/fixtures/network/squid.ts';
import { startWebServer } from '../tests/fixtures/network/web-server.ts';
import { startService } from '../tests/fixtures/service/service.ts';
import { startDirectChromium } from './direct-chromium.ts';
import { median } from './measure.ts';
import { publish } from './table.ts';

/**
 * Requests many sessions at the same moment, and measures how long each waits for its browser and how many are refused.
 * Ten also run their whole lifecycle as fast as they can, in a service with warm browsers and in one without, and, to
 * compare with, ten Chromiums that are started for it without proxy and sandbox.
 */

const rounds = Number(process.argv[2] ?? 3);
const atOnce = 40;
const lifecycles = 10;
const seats = '64';
/** Default time limit of a create. */
const lateMs = 30_000;

await using web = await startWebServer();
await using squid = await startSquid({ username: 'customer', password: 'secret' });
const proxy = `http://customer:secret@${squid.url}`;

interface Burst {
  statuses: number[];
  /** Times of the opened sessions, in milliseconds. */
  served: number[];
  /** Times of the refused creates, in milliseconds. */
  refused: number[];
}

async function withService(
  env: Record<string, string>,
  use: (account: ReturnType<typeof accountCalls>) => Promise<void>,
): Promise<void> {
  await using service = await startService({
    env: { TURNPIKE_LOG_LEVEL: 'warn', TURNPIKE_HOST_SEATS: seats, ...env },
  });
  const limits = ['--creates-per-minute', '100000', '--browser-hours', 'unlimited', '--concurrent', '100'];
  await service.turnpike('account', 'set', 'demo@example.com', ...limits);
  await use(accountCalls(service.gatewayUrl, service.demoKey, proxy));
}

type Account = ReturnType<typeof accountCalls>;

async function createMany(account: Account, headless: boolean): Promise<Burst> {
  const burst: Burst = { statuses: [], served: [], refused: [] };
  const ids = await Promise.all(
    Array.from({ length: atOnce }, async () => {
      const startedAt = performance.now();
      const opened = await account.connect({ headless: String(headless) });
      const tookMs = performance.now() - startedAt;
      burst.statuses.push(opened.status);
      (opened.status === 200 ? burst.served : burst.refused).push(tookMs);
      return opened.status === 200 ? opened.headers.get('x-session-id') : undefined;
    }),
  );
  await Promise.all(ids.map((id) => id && account.close(id)));
  return burst;
}

async function lifecycle(account: Account): Promise<number> {
  const opened = await account.connect({ headless: 'true' });
  if (opened.status !== 200) return opened.status;
  await visit(opened.text);
  await account.close(opened.headers.get('x-session-id') ?? '');
  return opened.status;
}

async function directLifecycle(): Promise<number> {
  await using started = await startDirectChromium();
  await visit(started.url);
  return 200;
}

async function visit(url: string): Promise<void> {
  const browser = await chromium.connectOverCDP(url);
  const page = await browser.contexts()[0]?.newPage();
  await page?.goto(`${web.origin}/`);
  await browser.close();
}

const seconds = (ms: number) => (ms / 1000).toFixed(1);
const tally = (statuses: readonly number[]) =>
  Object.entries(Object.groupBy(statuses, String))
    .map(([status, all]) => `${all?.length} × ${status}`)
    .join(', ');
const settle = () => new Promise((resolve) => setTimeout(resolve, 3000));
const rows: string[][] = [];

async function timeLifecycles(name: string, live: () => Promise<number>): Promise<void> {
  await settle();
  const took: number[] = [];
  const statuses: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    statuses.push(...(await Promise.all(Array.from({ length: lifecycles }, live))));
    took.push(performance.now() - startedAt);
    await settle();
    await settle();
  }
  rows.push([
    `${lifecycles} lifecycles, ${name}`,
    tally(statuses),
    '',
    `${seconds(median(took))} (${took.map(seconds).join(', ')})`,
    '',
  ]);
}

for (const headless of [true, false]) {
  await withService({}, async (account) => {
    for (let round = 0; round < rounds; round++) {
      const { statuses, served, refused } = await createMany(account, headless);
      rows.push([
        `${atOnce} creates, ${headless ? 'headless' : 'headful'}, cold`,
        tally(statuses),
        seconds(median(served)),
        seconds(Math.max(...served)),
        refused.length === 0 ? '' : seconds(Math.max(...refused)),
      ]);
      if (Math.max(...served, ...refused) > lateMs)
        console.error('somebody waited longer than a create may take');
      await settle();
    }
  });
}

for (const [name, env] of [
  ['cold', {}],
  ['2 of them warm', { TURNPIKE_HOST_WARM_HEADLESS: '2' }],
] as const) {
  await withService(env, (account) => timeLifecycles(`headless, ${name}`, () => lifecycle(account)));
}
await timeLifecycles('Chromium alone, cold, no proxy', directLifecycle);

await publish(
  'burst',
  'Sessions asked for at the same moment, seconds',
  ['', 'answers', 'median', 'the last', 'the last refusal'],
  rows,
  `A row is one round; of the lifecycles (create → connectOverCDP → goto → close) it is the median of ${rounds}. All go through Squid with a password, in the sandbox.`,
);
