import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { newRequest, startTestHost } from '@turnpike/host/testing/test-host';
import { chromium, type Page } from 'playwright-core';
import puppeteer from 'puppeteer-core';
// @ts-expect-error It has no types.
import { Builder, By } from 'selenium-webdriver';
import { startSquid } from '../tests/fixtures/network/squid.ts';
import { descendsFrom, processTable } from '../tests/fixtures/process/process-table.ts';
import { median } from './measure.ts';
import { publish } from './table.ts';

/** What each protocol of a session costs: until the first command, in memory, and over slow lines. */

const rounds = Number(process.argv[2] ?? 5);
/** Round trips between client and host, in milliseconds. */
const latencies = [0, 30, 200];
const keys = 'twenty keys to type.';

/** A client that has a page with a button and a field. */
interface Driver extends AsyncDisposable {
  click(): Promise<void>;
  type(text: string): Promise<void>;
}

interface ProtocolWay {
  name: string;
  /** The first part of the session's address. */
  path: string;
  connect(url: string): Promise<Driver>;
}

const content = '<button onclick="this.textContent += 1">x</button><input>';

async function playwrightDriver(browser: Awaited<ReturnType<typeof chromium.connect>>): Promise<Driver> {
  const context = browser.contexts()[0] ?? (await browser.newContext());
  const page: Page = await context.newPage();
  await page.setContent(content);
  return {
    click: () => page.locator('button').click(),
    type: (text) => page.locator('input').pressSequentially(text),
    async [Symbol.asyncDispose]() {
      await page.close();
      await browser.close();
    },
  };
}

async function bidiDriver(url: string): Promise<Driver> {
  const browser = await puppeteer.connect({
    browserWSEndpoint: url,
    protocol: 'webDriverBiDi',
    defaultViewport: null,
  });
  const page = await browser.newPage();
  await page.setContent(content);
  return {
    click: () => page.click('button'),
    type: (text) => page.type('input', text),
    async [Symbol.asyncDispose]() {
      await page.close();
      await browser.disconnect();
    },
  };
}

async function seleniumDriver(url: string): Promise<Driver> {
  const driver = await new Builder().usingServer(url.replace(/^ws/, 'http')).forBrowser('chrome').build();
  await driver.get(`data:text/html,${encodeURIComponent(content)}`);
  return {
    click: async () => (await driver.findElement(By.css('button'))).click(),
    type: async (text) => (await driver.findElement(By.css('input'))).sendKeys(text),
    [Symbol.asyncDispose]: () => driver.quit(),
  };
}

const ways: ProtocolWay[] = [
  {
    name: 'Playwright `connect`',
    path: 'playwright',
    connect: async (url) => playwrightDriver(await chromium.connect(url)),
  },
  {
    name: 'Playwright `connectOverCDP`',
    path: 'cdp',
    connect: async (url) => playwrightDriver(await chromium.connectOverCDP(url)),
  },
  { name: 'Puppeteer over BiDi', path: 'bidi', connect: bidiDriver },
  { name: 'Selenium over WebDriver', path: 'webdriver', connect: seleniumDriver },
];

/** Passes connections on to a port, each byte after half of the round trip. */
async function slowLine(port: number, roundTripMs: number) {
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('error', () => {}); // A close follows.
    from.on('data', (chunk) => setTimeout(() => to.write(chunk), roundTripMs / 2));
    from.on('close', () => {
      sockets.delete(from);
      setTimeout(() => to.destroy(), roundTripMs / 2);
    });
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    forward(client, upstream);
    forward(upstream, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The memory of this host's workers in MiB: resident, and their share of it. */
function workerMemory(): { rss: number; pss: number } {
  const sum = { rss: 0, pss: 0 };
  const table = processTable();
  for (const pid of table.keys()) {
    if (!descendsFrom(table, pid, process.pid)) continue;
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      const isWorker = command.includes('/workers/') && command.includes('--input-type=module');
      if (!isWorker && !command.startsWith('/usr/bin/chromedriver')) continue;
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
      sum.rss += Number(/^Rss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024;
      sum.pss += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024;
    } catch {
      // It has ended.
    }
  }
  return sum;
}

type Measures = Record<string, number>;

async function measureStarts({ path, connect: connectTo }: ProtocolWay): Promise<Measures> {
  const firsts: number[] = [];
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const session = await testHost.open(newRequest(squid.upstream));
    const url = addressOf(session.url, path);
    const visit = async () => (await connectTo(url))[Symbol.asyncDispose]();
    firsts.push(await timed(visit));
    seconds.push(await timed(visit));
    await testHost.host.close(session.sessionId);
  }
  return { 'first client, ms': median(firsts), 'next client, ms': median(seconds) };
}

async function measureMemory({ path, connect: connectTo }: ProtocolWay): Promise<Measures> {
  const measured: Measures = {};
  const session = await testHost.open(newRequest(squid.upstream));
  await using clients = new AsyncDisposableStack();
  for (let count = 1; count <= 3; count += 1) {
    const client = clients.use(await connectTo(addressOf(session.url, path)));
    await client.click();
    if (count === 2) continue;
    await delay(2000); // What starting took is given back.
    const { rss, pss } = workerMemory();
    measured[`MiB resident, clients: ${count}`] = rss;
    measured[`MiB of its own, clients: ${count}`] = pss;
  }
  await clients.disposeAsync();
  await testHost.host.close(session.sessionId);
  return measured;
}

async function measureSteps({ path, connect: connectTo }: ProtocolWay): Promise<Measures> {
  const measured: Measures = {};
  const session = await testHost.open(newRequest(squid.upstream));
  for (const roundTripMs of latencies) {
    using line = await slowLine(hostPort, roundTripMs);
    const url = new URL(addressOf(session.url, path));
    url.port = String(line.port);
    await using driver = await connectTo(url.href);
    const clicks: number[] = [];
    const typings: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      clicks.push(await timed(() => driver.click()));
      typings.push(await timed(() => driver.type(keys)));
    }
    measured[`click, ${roundTripMs} ms away, ms`] = median(clicks);
    measured[`${keys.length} keys, ${roundTripMs} ms away, ms`] = median(typings);
  }
  await testHost.host.close(session.sessionId);
  return measured;
}

const addressOf = (cdpUrl: string, path: string) => cdpUrl.replace('/cdp/', `/${path}/`);

await using stack = new AsyncDisposableStack();
const squid = stack.use(await startSquid());
const testHost = stack.use(await startTestHost());
const hostPort = Number(new URL(testHost.host.publicUrl).port);

const columns: Measures[] = [];
for (const way of ways) {
  columns.push({
    ...(await measureStarts(way)),
    ...(await measureMemory(way)),
    ...(await measureSteps(way)),
  });
}

await publish(
  'protocols',
  'Protocols of a session',
  ['', ...ways.map(({ name }) => name)],
  Object.keys(columns[0] ?? {}).map((measure) => [
    measure,
    ...columns.map((column) => (column[measure] ?? Number.NaN).toFixed(0)),
  ]),
  `Medians of ${rounds}. A client connects, opens a page and sets its content; the first one of a protocol starts its worker. Puppeteer sends 20 keys one by one, Selenium as one command. A line of so many milliseconds holds each byte back for half of them, both ways. Memory is that of the workers, which CDP does not need: resident, and with shared pages divided among those that share them.`,
);
