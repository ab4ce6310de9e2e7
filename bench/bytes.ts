import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newRequest, startTestHost, type TestHost } from '@turnpike/host/testing/test-host';
import { type BrowserContext, chromium } from 'playwright-core';
import { startWorldProxy } from '../tests/fixtures/network/world-proxy.ts';
import { Corpus, filterLists, type Site } from './bytes-corpus.ts';
import { publish } from './table.ts';

/**
 * Measures the bytes that visits to thirty sites cost at the customer's proxy: with and without `block` and `cache`, for
 * a first visit and one in a later session. A session visits six sites, so that their cache fits into the default size.
 */

const count = 30;
const perSession = 6;
const cacheBytes = 16 * 2 ** 20;
/** Pages are over when nothing passes for this long. */
const quietMs = 500;

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
  { name: 'cache, block=images,media,fonts,ads,trackers', cache: true, block: most },
];

interface SessionResult {
  bytes: number;
  texts: string[];
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
let plain: SessionResult[] = [];
for (const mode of modes) {
  const first: SessionResult[] = [];
  const second: SessionResult[] = [];
  for (const sites of groups) {
    first.push(await session(host, mode, sites));
    second.push(await session(host, mode, sites, first.at(-1)?.archive));
  }
  if (plain.length === 0) plain = first;
  const all = [...first, ...second];
  const texts = all.flatMap((result) => result.texts);
  const expected = plain.flatMap((result) => result.texts);
  const equal = texts.filter((text, i) => text === expected[i % count]).length;
  const cell = (results: SessionResult[]) =>
    `${megabytes(sum(results, 'bytes'))} (${Math.round((100 * sum(results, 'bytes')) / sum(plain, 'bytes'))}%)`;
  rows.push([
    mode.name,
    cell(first),
    cell(second),
    sum(all, 'refused').toLocaleString('en-US'),
    mode.cache ? megabytes(sum(all, 'fromCache')) : '–',
    `${equal} of ${texts.length}`,
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
  const texts = await visit(browser.contexts()[0] as BrowserContext, sites, bytes);
  const used = bytes();
  const { refusedRequests = {}, bytesFromCache = 0 } = state()?.savings ?? {};
  await browser.close();
  const left = cache ? await running.host.save(opened.sessionId) : undefined;
  if (cache && !(left?.cache && 'archive' in left.cache))
    throw new Error(`no cache: ${JSON.stringify(left)}`);
  await running.host.close(opened.sessionId);
  return {
    bytes: used,
    texts,
    refused: Object.values(refusedRequests).reduce((total, kind) => total + kind, 0),
    fromCache: bytesFromCache,
    ...(left?.cache && 'archive' in left.cache && { archive: left.cache.archive }),
  };
}

/** Opens each site in a tab, and answers their texts when all is there. */
async function visit(
  context: BrowserContext,
  sites: readonly Site[],
  bytes: () => number,
): Promise<string[]> {
  const pages = await Promise.all(sites.map(() => context.newPage()));
  await Promise.all(pages.map((page, i) => page.goto(sites[i]?.url ?? '', { timeout: 120_000 })));
  for (let last = -1; last !== bytes(); ) {
    last = bytes();
    await new Promise((resolve) => setTimeout(resolve, quietMs));
  }
  // A frame or an image more or less is a space more or less.
  const text = "document.body.innerText.replace(/\\s+/g, ' ').trim()";
  return Promise.all(pages.map((page) => page.evaluate<string>(text)));
}

function sum(results: readonly SessionResult[], member: 'bytes' | 'refused' | 'fromCache'): number {
  return results.reduce((total, result) => total + result[member], 0);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
