import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newRequest, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { type BrowserContext, chromium } from 'playwright-core';
import { startWorldProxy } from '../tests/fixtures/world-proxy.ts';
import { Corpus, filterLists, type Site } from './bytes-corpus.ts';
import { publish } from './table.ts';

/**
 * Measures the bytes that visits to thirty sites cost at the customer's proxy: with and without `block` and `cache`, for
 * a first visit and one in a later session. A session visits six sites, so that their cache fits into the default size.
 */

const count = 30;
const perSession = 6;
const cacheBytes = 16 * 2 ** 20;
/** A page is over when nothing passes for this long. */
const quietMs = 400;

interface Mode {
  name: string;
  block?: readonly string[];
  cache?: true;
}

const lists = ['ads', 'trackers'] as const;
const most = ['images', 'media', 'fonts', ...lists] as const;
const modes: readonly Mode[] = [
  { name: 'neither' },
  { name: 'block=ads,trackers', block: lists },
  { name: 'block=images,media,fonts,ads,trackers', block: most },
  { name: 'cache', cache: true },
  { name: 'cache, block=ads,trackers', cache: true, block: lists },
  { name: 'cache, block=images,media,fonts,ads,trackers', cache: true, block: most },
];

interface Visit {
  bytes: number;
  text: string;
}
interface SessionResult {
  visits: Visit[];
  archive?: string;
  refused: number;
  fromCache: number;
}

const corpus = new Corpus(count);
const directory = mkdtempSync(join(tmpdir(), 'bytes-'));
const blockLists = Object.fromEntries(
  lists.map((kind) => {
    const path = join(directory, `${kind}.txt`);
    writeFileSync(path, filterLists[kind].join('\n'));
    return [kind, [path]];
  }),
);
await using world = await startWorldProxy(corpus.respond);
await using host = await startTestHost({ blockLists });

const groups = Array.from({ length: count / perSession }, (_, i) =>
  corpus.sites.slice(i * perSession, (i + 1) * perSession),
);
const rows: (string | number)[][] = [];
let plain: Visit[] = [];
let plainSum = 0;
for (const mode of modes) {
  const visits = { first: [] as Visit[], second: [] as Visit[] };
  let refused = 0;
  let fromCache = 0;
  for (const sites of groups) {
    const first = await session(host, mode, sites);
    const second = await session(host, mode, sites, first.archive);
    visits.first.push(...first.visits);
    visits.second.push(...second.visits);
    refused += first.refused + second.refused;
    fromCache += first.fromCache + second.fromCache;
  }
  if (plain.length === 0) {
    plain = visits.first;
    plainSum = sum(plain);
  }
  const all = [...visits.first, ...visits.second];
  const equal = all.filter(({ text }, i) => text === plain[i % count]?.text).length;
  const cell = (list: Visit[]) => `${megabytes(sum(list))} (${Math.round((100 * sum(list)) / plainSum)}%)`;
  rows.push([
    mode.name,
    cell(visits.first),
    cell(visits.second),
    refused.toLocaleString('en-US'),
    mode.cache ? megabytes(fromCache) : '–',
    `${equal} of ${all.length}`,
  ]);
  console.log(rows.at(-1)?.join(' | '));
}
rmSync(directory, { recursive: true });
await publish(
  'bytes',
  `Bytes at the customer's proxy: ${count} sites, in MB`,
  [
    '',
    'first visit',
    'second visit, in a later session',
    'requests refused',
    'from cache (estimate)',
    'same text',
  ],
  rows,
  'Both ways, headers and handshakes included, as the session reports them; in brackets, of the first visit without ' +
    'either. The sites are local and modelled on page weights of the HTTP Archive (`bench/bytes-corpus.ts`); the share ' +
    'that ads and trackers have differs from site to site, and so does what you save. Refused requests and bytes from ' +
    'the cache are of both visits.',
);

async function session(
  running: TestHost,
  { block, cache }: Mode,
  sites: readonly Site[],
  archive?: string,
): Promise<SessionResult> {
  const { params, ...request } = newRequest(world.upstream, { lifetimeMs: 600_000 });
  const opened = await running.open({
    ...request,
    params: { ...params, ...(block && { block }) },
    ...(cache && { cache: { maxBytes: cacheBytes, ...(archive && { archive }) } }),
  });
  const state = () => running.host.list().find(({ sessionId }) => sessionId === opened.sessionId);
  const bytes = () => (state()?.bytesUp ?? 0) + (state()?.bytesDown ?? 0);
  const browser = await chromium.connectOverCDP(opened.url);
  const visits: Visit[] = [];
  for (const site of sites) {
    visits.push(await visit(browser.contexts()[0] as BrowserContext, site, bytes));
  }
  const { refusedRequests = {}, bytesFromCache = 0 } = state()?.savings ?? {};
  await browser.close();
  const left = cache ? await running.host.save(opened.sessionId) : undefined;
  if (cache && !(left?.cache && 'archive' in left.cache))
    throw new Error(`no cache: ${JSON.stringify(left)}`);
  await running.host.close(opened.sessionId);
  return {
    visits,
    refused: Object.values(refusedRequests).reduce((total, kind) => total + kind, 0),
    fromCache: bytesFromCache,
    ...(left?.cache && 'archive' in left.cache && { archive: left.cache.archive }),
  };
}

async function visit(context: BrowserContext, { url }: Site, bytes: () => number): Promise<Visit> {
  const before = bytes();
  const page = await context.newPage();
  await page.goto(url, { timeout: 60_000 });
  for (let last = -1; last !== bytes(); ) {
    last = bytes();
    await page.waitForTimeout(quietMs);
  }
  const text = await page.evaluate<string>('document.body.innerText');
  const used = bytes() - before;
  await page.close();
  return { bytes: used, text };
}

function sum(visits: readonly Visit[]): number {
  return visits.reduce((total, { bytes }) => total + bytes, 0);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
