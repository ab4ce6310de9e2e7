import * as playwright from 'playwright-core';
import * as puppeteer from 'puppeteer-core';
import { accountCalls } from '../tests/fixtures/gateway.ts';
import { startService } from '../tests/fixtures/service.ts';
import { CdpClient } from './cdp-client.ts';
import { startDirectChromium } from './direct-chromium.ts';
import { inTurns, median } from './measure.ts';
import { publish } from './table.ts';

/** CDP through the relay, the sandbox on, against a direct WebSocket to the same Chromium, in turns. */

const rounds = Number(process.argv[2] ?? 9);
const roundMs = 700;

/** One page in each client. */
interface Way {
  client: CdpClient;
  playwright: playwright.Page;
  puppeteer: puppeteer.Page;
}

/** Calls a second with so many in flight. */
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

/** Mebibytes a second of large answers. */
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

await using stack = new AsyncDisposableStack();

async function connect(url: string): Promise<Way> {
  const client = stack.use(await CdpClient.toNewPage(url));
  const byPlaywright = await playwright.chromium.connectOverCDP(url);
  stack.defer(() => byPlaywright.close());
  const context = byPlaywright.contexts()[0] ?? (await byPlaywright.newContext());
  const byPuppeteer = await puppeteer.connect({ browserWSEndpoint: url, defaultViewport: null });
  stack.defer(() => byPuppeteer.disconnect());
  return { client, playwright: await context.newPage(), puppeteer: await byPuppeteer.newPage() };
}

const chromium = stack.use(await startDirectChromium());
const service = stack.use(await startService());
const { text } = await accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl).connect({
  headless: 'true',
});
const direct = await connect(chromium.url);
const relay = await connect(text);
const measures = {
  'round trips/s, 1 in flight': (way: Way) => roundTrips(way, 1),
  'round trips/s, 32 in flight': (way: Way) => roundTrips(way, 32),
  'MiB/s of 1 MiB answers': throughput,
  'Playwright `page.evaluate`/s': (way: Way) => rate(() => way.playwright.evaluate('1')),
  'Puppeteer `page.evaluate`/s': (way: Way) => rate(() => way.puppeteer.evaluate('1')),
};
const rows: (string | number)[][] = [];
for (const [name, measure] of Object.entries(measures)) {
  const results = await inTurns(rounds, { direct: () => measure(direct), relay: () => measure(relay) });
  const [d, r] = [median(results.direct), median(results.relay)];
  rows.push([name, d.toFixed(0), r.toFixed(0), `${Math.round((r / d) * 100)}%`]);
}
await publish(
  'relay',
  'CDP through the relay, in the sandbox, against a direct connection',
  ['', 'direct', 'relay', 'ratio'],
  rows,
  `Medians of ${rounds} rounds of ${roundMs} ms, in turns.`,
);
