import * as playwright from 'playwright-core';
import * as puppeteer from 'puppeteer-core';
import { accountCalls } from '../tests/fixtures/gateway/gateway.ts';
import { startService } from '../tests/fixtures/service/service.ts';
import { CdpClient } from './cdp-client.ts';
import { startDirectChromium } from './direct-chromium.ts';
import { inTurns, median } from './measure.ts';
import { publish } from './table.ts';

/** Compares CDP through the relay, with the sandbox, with a direct WebSocket to the same Chromium, interleaved. */

/** Number of starts of all browsers. Placement on cores and in memory changes results by more than a tenth. */
const starts = Number(process.argv[2] ?? 5);
const rounds = 4;
const roundMs = 500;

/** One page in each client. */
interface Way {
  client: CdpClient;
  playwright: playwright.Page;
  puppeteer: puppeteer.Page;
}

/** Measures calls a second with the given number in flight. */
async function rate(call: () => Promise<unknown>, inFlight = 1): Promise<number> {
  const end = performance.now() + roundMs;
  const started = performance.now();
  let count = 0;
  const loop = async () => {
    while (performance.now() < end) {
      await call();
      count++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  return (count * 1000) / (performance.now() - started);
}

function roundTrips({ client }: Way, inFlight: number): Promise<number> {
  return rate(() => client.call('Runtime.evaluate', { expression: '1' }), inFlight);
}

/** Measures mebibytes a second of large responses. */
async function throughput({ client }: Way): Promise<number> {
  const end = performance.now() + roundMs;
  const started = performance.now();
  let bytes = 0;
  while (performance.now() < end) {
    bytes += (
      await client.call('Runtime.evaluate', { expression: '"x".repeat(1048576)', returnByValue: true })
    ).length;
  }
  return (bytes / 2 ** 20) * (1000 / (performance.now() - started));
}

async function connect(url: string, stack: AsyncDisposableStack): Promise<Way> {
  const client = stack.use(await CdpClient.toNewPage(url));
  const byPlaywright = await playwright.chromium.connectOverCDP(url);
  stack.defer(() => byPlaywright.close());
  const context = byPlaywright.contexts()[0] ?? (await byPlaywright.newContext());
  const byPuppeteer = await puppeteer.connect({ browserWSEndpoint: url, defaultViewport: null });
  stack.defer(() => byPuppeteer.disconnect());
  return { client, playwright: await context.newPage(), puppeteer: await byPuppeteer.newPage() };
}

async function session(stack: AsyncDisposableStack): Promise<string> {
  const { gatewayUrl, demoKey, demoProxyUrl } = stack.use(await startService());
  const { text } = await accountCalls(gatewayUrl, demoKey, demoProxyUrl).connect({ headless: 'true' });
  return text;
}

const measures = {
  'round trips/s, 1 in flight': (way: Way) => roundTrips(way, 1),
  'round trips/s, 32 in flight': (way: Way) => roundTrips(way, 32),
  'MiB/s of 1 MiB answers': throughput,
  'Playwright `page.evaluate`/s': (way: Way) => rate(() => way.playwright.evaluate('1')),
  'Puppeteer `page.evaluate`/s': (way: Way) => rate(() => way.puppeteer.evaluate('1')),
};
const kinds = ['direct', 'capped', 'relay'] as const;
const found = new Map<string, Record<(typeof kinds)[number], number[]>>();
for (let start = 0; start < starts; start++) {
  await using stack = new AsyncDisposableStack();
  const direct = await connect(stack.use(await startDirectChromium()).url, stack);
  const capped = await connect(stack.use(await startDirectChromium({ capped: true })).url, stack);
  const relay = await connect(await session(stack), stack);
  for (const [name, measure] of Object.entries(measures)) {
    const results = await inTurns(rounds, {
      direct: () => measure(direct),
      capped: () => measure(capped),
      relay: () => measure(relay),
    });
    const former = found.get(name) ?? { direct: [], capped: [], relay: [] };
    for (const kind of kinds) former[kind].push(...results[kind]);
    found.set(name, former);
  }
}
const rows = Array.from(found, ([name, results]) => {
  const relay = median(results.relay);
  const share = (kind: 'direct' | 'capped') => `${Math.round((relay / median(results[kind])) * 100)}%`;
  return [
    name,
    ...kinds.map((kind) => median(results[kind]).toFixed(0)),
    ...[share('direct'), share('capped')],
  ];
});
await publish(
  'relay',
  'CDP through the relay, in the sandbox, against a direct connection',
  ['', 'direct', 'direct, capped', 'relay', 'of direct', 'of capped'],
  rows,
  `Medians of ${rounds} rounds of ${roundMs} ms each, interleaved, with each of ${starts} starts of all browsers. Capped: in a control group with the weight and limits of a session. The client runs on the same cores.`,
);
