import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import type { WebServer } from '../fixtures/network/web-server.ts';
import type { Service } from '../fixtures/service/service.ts';

export interface WitnessFigures {
  rounds: number;
  slowestMs: number;
}

/** Somebody else's work: it must get its own answers, in time, whatever the attackers do. */
export interface Witness {
  name: string;
  round(): Promise<void>;
  figures: WitnessFigures;
}

/** Far more than a round needs on a busy machine; past it the witness was disturbed. */
const roundMs = 30_000;

export interface WitnessOptions {
  service: Service;
  account: TestAccount;
  web: WebServer;
}

export function witnesses(options: WitnessOptions): Witness[] {
  return [
    witness('browser', () => browserRound(options)),
    witness('api', () => apiRound(options)),
    witness('metered proxy', () => proxyRound(options)),
  ];
}

function witness(name: string, round: () => Promise<void>): Witness {
  const figures: WitnessFigures = { rounds: 0, slowestMs: 0 };
  return {
    name,
    figures,
    async round() {
      const beganAt = performance.now();
      using late = deadline(`${name}: a round took more than ${roundMs} ms`);
      await Promise.race([round(), late.passed]);
      figures.rounds += 1;
      figures.slowestMs = Math.max(figures.slowestMs, performance.now() - beganAt);
    },
  };
}

function deadline(message: string): Disposable & { passed: Promise<never> } {
  const over = new AbortController();
  const passed = delay(roundMs, undefined, { signal: over.signal }).then(
    () => Promise.reject(new Error(message)),
    () => new Promise<never>(() => {}),
  );
  return { passed, [Symbol.dispose]: () => over.abort() };
}

/** Opens a browser, drives it with Playwright, leaves, comes back to the same page, and closes it. */
async function browserRound({ account, web }: WitnessOptions): Promise<void> {
  const opened = await account.create({ headless: true });
  check(opened.status === 200, `browser: create answered ${opened.status} ${opened.text}`);
  const { cdpUrl, browserId } = opened.json;
  try {
    const mark = `${web.origin}/echo?mark=${Math.random()}`;
    const first = await chromium.connectOverCDP(cdpUrl);
    const page = first.contexts()[0]?.pages()[0] ?? (await first.newPage());
    await page.goto(mark);
    check(
      (await page.textContent('body'))?.includes(mark.slice(web.origin.length)),
      'browser: another page came',
    );
    await first.close();
    const second = await chromium.connectOverCDP(cdpUrl);
    const pages = second.contexts().flatMap((context) => context.pages());
    check(
      pages.some((found) => found.url() === mark),
      'browser: the page is gone after reconnecting',
    );
    await second.close();
  } finally {
    const closed = await account.close(browserId);
    check(closed.status === 200 && closed.json.status === 'CLOSED', `browser: close answered ${closed.text}`);
  }
}

async function apiRound({ account, service }: WitnessOptions): Promise<void> {
  const limits = await account.get('/user/api/limits');
  check(
    limits.status === 200 && limits.json.limit > 0,
    `api: limits answered ${limits.status} ${limits.text}`,
  );
  const me = await account.get('/user/api/me');
  check(me.json?.account?.email === account.email, `api: another account answered: ${me.text}`);
  const health = await fetch(`${service.gatewayUrl}/health`);
  check(health.status === 200, `api: health answered ${health.status}`);
  await delay(100);
}

/** Each request has a mark of its own: another account's answer would show. */
async function proxyRound({ account, web }: WitnessOptions): Promise<void> {
  const { hostname, port, username, password } = new URL(account.proxy);
  const path = `/echo?mark=${Math.random()}`;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    'base64',
  );
  const asked = http.get({
    host: hostname,
    port,
    path: `${web.origin}${path}`,
    headers: { host: new URL(web.origin).host, 'proxy-authorization': `Basic ${login}` },
    agent: false,
  });
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  const body = await text(answer);
  check(answer.statusCode === 200, `metered proxy: answered ${answer.statusCode} ${body}`);
  check(JSON.parse(body).path === path, `metered proxy: another request's answer came: ${body}`);
  await delay(50);
}

function check(holds: unknown, message: string): asserts holds {
  if (!holds) throw new Error(message);
}
