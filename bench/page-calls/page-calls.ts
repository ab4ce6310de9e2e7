import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { extractionScript } from '../../apps/host/src/page/extract/extraction-script.ts';
import { startSquid } from '../../tests/fixtures/network/squid.ts';
import { sampleOf } from '../../tests/fixtures/service/metrics.ts';
import { startService } from '../../tests/fixtures/service/service.ts';
import { startDirectChromium } from '../direct-chromium.ts';
import { inTurns, median, percentile95 } from '../measure.ts';
import { publish } from '../table.ts';
import { browserlessVersion, startBrowserless } from './browserless-server.ts';
import { servePages } from './pages.ts';

/**
 * Measures one call for one page: here, on Browserless's free server, and with Playwright in a browser that already runs,
 * which is the limit. One call at a time, eight that begin together, and eight that are always under way.
 *
 * `--rows FILE` keeps rows in a file, so that the parts of a long run add up: run it once for each page or format.
 */

const { values: options } = parseArgs({
  options: {
    calls: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    pages: { type: 'string', default: 'small article,page with pictures' },
    formats: { type: 'string', default: 'screenshot,pdf,content,markdown' },
    rows: { type: 'string' },
  },
});
const [calls, rounds] = [Number(options.calls), Number(options.rounds)];
const atOnce = 8;
type Format = 'screenshot' | 'pdf' | 'content' | 'markdown';
const formats = options.formats.split(',') as Format[];
/** Puppeteer's window, which is Browserless's. */
const viewport = { width: 800, height: 600 };

/** Reads a page in a format, and resolves when all of the answer is here. */
type Way = (format: Format, url: string) => Promise<unknown>;

await using web = await servePages();
await using squid = await startSquid({ username: 'customer', password: 'secret' });
await using service = await startService({
  env: {
    TURNPIKE_LOG_LEVEL: 'warn',
    TURNPIKE_METRICS_PORT: '0',
    TURNPIKE_HOST_WARM_HEADLESS: String(atOnce),
    TURNPIKE_HOST_WARM_HEADFUL: '0',
  },
});
const account = await service.account({ creates_per_minute: 1_000_000, concurrent_limit: 4 * atOnce });
await using browserless = await startBrowserless();
await using running = await startDirectChromium();
const browser = await chromium.connectOverCDP(running.url);
const extraction = await extractionScript();

const ways: Record<string, Way> = {
  Turnpike: (format, url) =>
    posted(
      `${service.gatewayUrl}/api/page/${format}`,
      { url, viewport, proxy },
      { 'x-api-key': account.key },
    ),
  [`Browserless ${browserlessVersion}`]: (format, url) =>
    posted(browserless.address(format), { url, viewport }),
  'the limit: Playwright': (format, url) => readWith(browser, format, url),
};
const proxy = `http://customer:secret@${squid.url}`;

async function posted(address: string, body: object, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const answer = await response.arrayBuffer();
  if (response.status !== 200 || answer.byteLength < 500)
    throw new Error(`${address}: ${response.status} ${Buffer.from(answer).toString('utf8', 0, 500)}`);
}

async function readWith(shared: Browser, format: Format, url: string): Promise<void> {
  const context = await shared.newContext({ viewport });
  try {
    const page = await context.newPage();
    await page.goto(url);
    if (format === 'screenshot') await page.screenshot();
    else if (format === 'pdf') await page.pdf();
    else if (format === 'content') await page.content();
    else await page.evaluate(`(${extraction})({ url: location.href, contentType: 'text/html' })`);
  } finally {
    await context.close();
  }
}

const takes = (name: string, format: Format): boolean =>
  format !== 'markdown' || !name.startsWith('Browserless');

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Waits until the pool is full, so that no side is measured while browsers start for the next calls. */
async function warmed(): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(service.metricsUrl)).text();
    if (sampleOf(metrics, 'turnpike_host_pool_browsers{shape="headless"}') === atOnce) return;
    await delay(100);
  }
}

/** The times of calls that begin together. */
async function together(way: Way, format: Format, url: string): Promise<number[]> {
  await warmed();
  return Promise.all(Array.from({ length: atOnce }, () => timed(() => way(format, url))));
}

/** The times of calls of which so many are always under way. */
async function flowing(way: Way, format: Format, url: string): Promise<number[]> {
  await warmed();
  const times: number[] = [];
  let left = Math.max(calls, 2 * atOnce);
  const worker = async () => {
    while (left-- > 0) times.push(await timed(() => way(format, url)));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return times;
}

const names = Object.keys(ways);
const shown = (times: number[]) => `${median(times).toFixed(0)} / ${percentile95(times).toFixed(0)}`;

async function measure(format: Format, url: string): Promise<[what: string, Record<string, number[]>][]> {
  const able = names.filter((name) => takes(name, format));
  const wayOf = (name: string) => ways[name] as Way;
  const oneCall = async (name: string) => {
    await warmed();
    return timed(() => wayOf(name)(format, url));
  };
  const one = await inTurns(calls, Object.fromEntries(able.map((name) => [name, () => oneCall(name)])));
  const eight: Record<string, number[]> = Object.fromEntries(able.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 ? able : able.toReversed())
      eight[name]?.push(...(await together(wayOf(name), format, url)));
  const always: Record<string, number[]> = {};
  for (const name of able) always[name] = await flowing(wayOf(name), format, url);
  return [
    ['one at a time', one],
    [`${atOnce} at once`, eight],
    [`${atOnce} always under way`, always],
  ];
}

const before =
  options.rows !== undefined && existsSync(options.rows) ? readFileSync(options.rows, 'utf8') : '[]';
const rows: string[][] = JSON.parse(before);
for (const page of options.pages.split(',')) {
  for (const format of formats) {
    for (const [what, times] of await measure(format, web.pages[page] as string)) {
      const cells = names.map((name) => (times[name] ? shown(times[name]) : 'none'));
      const ratio = median(times['Turnpike'] ?? []) / median(times['the limit: Playwright'] ?? []);
      rows.push([page, format, what, ...cells, ratio.toFixed(2)]);
      console.log(rows.at(-1)?.join(' | '));
    }
    if (options.rows !== undefined) writeFileSync(options.rows, JSON.stringify(rows));
  }
}
await browser.close();

await publish(
  'page-calls',
  'One call for one page',
  ['Page', 'Format', 'Calls', ...names, 'Turnpike / limit'],
  rows,
  `Milliseconds, median / 95th percentile. One at a time: ${calls} calls each, in turns. ${atOnce} at once: ${rounds} ` +
    `rounds of ${atOnce} calls that begin together, in turns. In both, each side begins when Turnpike's pool is full ` +
    `again, so that no side shares the machine with browsers that start for the next calls. ${atOnce} always under way: ` +
    `${Math.max(calls, 2 * atOnce)} calls, of which the next begins when one ends; Turnpike and Browserless start a ` +
    'browser for each call then. Turnpike is the service as `npm start` has it, with ' +
    `${atOnce} warm headless browsers; each call has a session, a sandbox and a browser of its own, and its traffic ` +
    'goes through a proxy (Squid). Browserless is its free server from npm with its own settings and ' +
    "Debian's Chromium, without a proxy. It starts a browser for each call, and has no Markdown. The limit is " +
    'Playwright in one browser that already runs, without a proxy: new context, new page, goto, read, close; for ' +
    'Markdown it runs the same extractor. All pages are 800 × 600 and served from this machine.',
);
