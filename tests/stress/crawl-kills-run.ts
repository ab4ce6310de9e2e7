import { setTimeout as delay } from 'node:timers/promises';
import type { Crawl } from '@turnpike/contract/crawl';
import { startPostgres } from '../fixtures/database/postgres.ts';
import { type AccountCalls, accountCalls } from '../fixtures/gateway/gateway.ts';
import { startWorldProxy } from '../fixtures/network/world-proxy.ts';
import {
  type ClusterStore,
  openClusterStore,
  startClusterGateway,
  startClusterHost,
} from '../fixtures/service/cluster.ts';

export interface CrawlKillsOptions {
  /** How many pages the site has. */
  pages: number;
  sessions: number;
  say(text: string): void;
}

export interface CrawlKillsResult {
  pages: number;
  seconds: number;
  pagesPerSecond: number;
  /** Requests that the site got for its pages: more than pages, for some are loaded again after a kill. */
  loads: number;
  sessions: number;
  billedSeconds: number;
  failures: string[];
}

const origin = 'http://site.test';
const maxMs = 3_600_000;

/** Each page leads to ten others and to the one before it, and every tenth to itself under another address. */
function pageOf(number: number, count: number): string {
  const to = (target: number) => `<a href="/page/${target}">Page ${target}</a>`;
  const below = Array.from({ length: 10 }, (_, index) => number * 10 + index + 1).filter((n) => n < count);
  const links = [...below, Math.max(0, number - 1)].map(to).join(' ');
  return `<!doctype html><title>Page ${number}</title><link rel="canonical" href="/page/${number}">
<h1>Page ${number}</h1><p>${'Some text. '.repeat(50)}</p>${links} ${number % 10 === 0 ? `<a href="/page/${number}?print#top">Print</a>` : ''}`;
}

/** Crawls a site while a gateway and a host are killed, and compares the results and bills with what must be. */
export async function crawlKills({ pages, sessions, say }: CrawlKillsOptions): Promise<CrawlKillsResult> {
  await using parts = new AsyncDisposableStack();
  let loads = 0;
  const world = parts.use(
    await startWorldProxy(({ path }, response) => {
      const number = /^\/page\/(\d+)(?:\?print)?$/.exec(path)?.[1];
      if (number !== undefined) loads += 1;
      response.statusCode = number === undefined ? 404 : 200;
      response.setHeader('content-type', 'text/html');
      response.end(number === undefined ? 'Nothing is here.' : pageOf(Number(number), pages));
    }),
  );
  const postgres = parts.use(await startPostgres());
  const databaseUrl = await postgres.createDatabase();
  const first = parts.use(await startClusterGateway(databaseUrl));
  const second = parts.use(await startClusterGateway(databaseUrl));
  const lost = parts.use(await startClusterHost('lost', [first, second]));
  parts.use(await startClusterHost('kept', [first, second]));
  const store = parts.use(await openClusterStore(databaseUrl));
  const key = await store.account({ concurrent_limit: 2 * sessions });
  const account = accountCalls(second.url, key, world.url);

  const startedAt = performance.now();
  const created = await accountCalls(first.url, key, world.url).post('/api/crawl', {
    url: `${origin}/page/0`,
    limit: 10_000,
    formats: ['content', 'markdown'],
    proxy: world.url,
    concurrency: sessions,
    hostConcurrency: sessions,
  });
  if (created.status !== 202) throw new Error(created.text);
  const { id } = created.json;
  const until = (isReached: (crawl: Crawl) => boolean) => waitFor(account, id, isReached, say);
  await until(({ pages: { done } }) => done >= pages * 0.25);
  say('killing a gateway');
  await first.kill();
  await until(({ pages: { done } }) => done >= pages * 0.55);
  say('killing a host');
  await lost.kill();
  const crawl = await until(({ state }) => state !== 'running' && state !== 'queued');
  const seconds = (performance.now() - startedAt) / 1000;
  const failures = [
    ...(crawl.state === 'done' ? [] : [`the crawl is ${crawl.state}: ${crawl.why}`]),
    ...(await wrongResults(account, id, pages)),
  ];
  const bills = await wrongBills(store);
  return {
    pages,
    seconds: Math.round(seconds),
    pagesPerSecond: Math.round((10 * pages) / seconds) / 10,
    loads,
    sessions: bills.sessions,
    billedSeconds: bills.billedSeconds,
    failures: [...failures, ...bills.failures],
  };
}

async function waitFor(
  account: AccountCalls,
  id: string,
  isReached: (crawl: Crawl) => boolean,
  say: (text: string) => void,
): Promise<Crawl> {
  const deadline = performance.now() + maxMs;
  for (let round = 0; performance.now() < deadline; round++) {
    const { json: crawl, text } = await account.get(`/api/crawl/${id}`);
    if (!crawl?.pages) throw new Error(text);
    if (isReached(crawl) || crawl.state === 'failed') return crawl;
    if (round % 20 === 0)
      say(JSON.stringify({ ...crawl.pages, sessions: crawl.sessions, waiting: crawl.waiting }));
    await delay(500);
  }
  throw new Error('The crawl takes too long');
}

/** Each page once, with what it says. */
async function wrongResults(account: AccountCalls, id: string, count: number): Promise<string[]> {
  const failures: string[] = [];
  const seen = new Map<number, number>();
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const { json, text } = await account.get(`/api/crawl/${id}/pages?limit=200&cursor=${cursor}`);
    if (!json?.pages) return [...failures, text];
    for (const { url, title, result, formats, error } of json.pages) {
      const number = Number(/\/page\/(\d+)/.exec(url)?.[1]);
      seen.set(number, (seen.get(number) ?? 0) + 1);
      const isWhole =
        formats?.content?.includes(`<h1>Page ${number}</h1>`) && formats.markdown?.includes('Some text');
      if (result !== 'done' || title !== `Page ${number}` || !isWhole)
        failures.push(`${url} is ${result}: ${JSON.stringify(error)}`);
    }
    cursor = json.nextCursor;
  }
  for (let number = 0; number < count; number++) {
    const times = seen.get(number) ?? 0;
    if (times !== 1) failures.push(`page ${number} is in the results ${times} times`);
  }
  return failures.slice(0, 20);
}

/** Every session has ended, its bill is its time, and the account's bill is their sum. */
async function wrongBills({ db }: ClusterStore) {
  const deadline = performance.now() + 120_000;
  const read = () => db.selectFrom('sessions').selectAll().execute();
  let rows = await read();
  while (
    rows.some(({ state }) => state === 'ACTIVE' || state === 'STARTING') &&
    performance.now() < deadline
  ) {
    await delay(500);
    rows = await read();
  }
  const failures = rows.flatMap(({ id, state, created_at, ended_at, billed_seconds }) => {
    if (ended_at === null) return [`session ${id} is still ${state}`];
    const least = Math.max(30, Math.ceil((ended_at - created_at) / 1000));
    return billed_seconds === least ? [] : [`session ${id} is billed ${billed_seconds} s for ${least} s`];
  });
  const billedSeconds = rows.reduce((sum, { billed_seconds }) => sum + billed_seconds, 0);
  const account = await db.selectFrom('accounts').select('browser_seconds').executeTakeFirstOrThrow();
  if (account.browser_seconds !== billedSeconds)
    failures.push(`the account is billed ${account.browser_seconds} s, its sessions ${billedSeconds} s`);
  return { failures, billedSeconds, sessions: rows.length };
}
