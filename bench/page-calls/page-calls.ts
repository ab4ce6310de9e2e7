import { type Browser, chromium } from 'playwright-core';
import { extractionScript } from '../../apps/host/src/page/extract/extraction-script.ts';
import { startSquid } from '../../tests/fixtures/network/squid.ts';
import { startService } from '../../tests/fixtures/service/service.ts';
import { startDirectChromium } from '../direct-chromium.ts';
import { inTurns, median, percentile95 } from '../measure.ts';
import { publish } from '../table.ts';
import { browserlessVersion, startBrowserless } from './browserless-server.ts';
import { servePages } from './pages.ts';

/**
 * Measures one call for one page: here, on Browserless's free server, and with Playwright in a browser that already runs,
 * which is the limit. One call at a time, and eight at once.
 */

const calls = Number(process.argv[2] ?? 40);
const atOnce = 8;
const formats = ['screenshot', 'pdf', 'content', 'markdown'] as const;
type Format = (typeof formats)[number];
/** Puppeteer's window, which is Browserless's. */
const viewport = { width: 800, height: 600 };

/** Reads a page in a format, and resolves when all of the answer is here. */
type Way = (format: Format, url: string) => Promise<unknown>;

await using web = await servePages();
await using squid = await startSquid({ username: 'customer', password: 'secret' });
await using service = await startService({
  env: { TURNPIKE_LOG_LEVEL: 'warn', TURNPIKE_HOST_WARM_HEADLESS: String(atOnce) },
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

/** The times of calls of which so many are always under way. */
async function together(way: Way, format: Format, url: string): Promise<number[]> {
  const times: number[] = [];
  let left = calls;
  const worker = async () => {
    while (left-- > 0) times.push(await timed(() => way(format, url)));
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return times;
}

const names = Object.keys(ways);
const rows: string[][] = [];
const shown = (times: number[]) => `${median(times).toFixed(0)} / ${percentile95(times).toFixed(0)}`;

for (const [page, url] of Object.entries(web.pages)) {
  for (const format of formats) {
    const able = names.filter((name) => takes(name, format));
    const one = await inTurns(
      calls,
      Object.fromEntries(able.map((name) => [name, () => timed(() => (ways[name] as Way)(format, url))])),
    );
    const eight: Record<string, number[]> = {};
    // The order changes, so that the load of what came before is not always the same one's.
    for (const name of able.toReversed()) await together(ways[name] as Way, format, url);
    for (const name of able) eight[name] = await together(ways[name] as Way, format, url);
    for (const [what, times] of [
      ['one at a time', one],
      [`${atOnce} at once`, eight],
    ] as const) {
      const cells = names.map((name) => (times[name] ? shown(times[name]) : 'none'));
      const ratio = median(times['Turnpike'] ?? []) / median(times['the limit: Playwright'] ?? []);
      rows.push([page, format, what, ...cells, ratio.toFixed(2)]);
      console.log(rows.at(-1)?.join(' | '));
    }
  }
}
await browser.close();

await publish(
  'page-calls',
  'One call for one page',
  ['Page', 'Format', 'Calls', ...names, 'Turnpike / limit'],
  rows,
  `Milliseconds, median / 95th percentile of ${calls} calls each, in one run: the sides take turns. Turnpike is the ` +
    `service as \`npm start\` has it, with ${atOnce} warm headless browsers; each call has a session, a sandbox and a ` +
    'browser of its own, and its traffic goes through a proxy (Squid). Browserless is its free server from npm with its ' +
    "own settings and Debian's Chromium, without a proxy. It starts a browser for each call, and has no Markdown. The " +
    'limit is Playwright in one browser that already runs, without a proxy: new context, new page, goto, read, close; ' +
    'for Markdown it runs the same extractor. All pages are 800 × 600 and served from this machine.',
);
