import { chromium } from 'playwright-core';
import { accountCalls } from '../tests/fixtures/gateway/gateway.ts';
import { startSquid } from '../tests/fixtures/network/squid.ts';
import { startWebServer } from '../tests/fixtures/network/web-server.ts';
import { startService } from '../tests/fixtures/service/service.ts';
import { startDirectChromium } from './direct-chromium.ts';
import { median, percentile95 } from './measure.ts';
import { publish } from './table.ts';

/**
 * Measures create → connectOverCDP → goto → close of a session, warm and cold, behind a proxy and in its
 * sandbox. Compares it with a Chromium that is started for it and one that runs already, both without proxy and sandbox.
 */

const runs = Number(process.argv[2] ?? 25);
const steps = ['create', 'connect', 'goto', 'release'] as const;
type Step = (typeof steps)[number];

interface Lifecycle {
  create(): Promise<{ url: string; release(): Promise<void> }>;
}

await using web = await startWebServer();
await using squid = await startSquid({ username: 'customer', password: 'secret' });
await using running = await startDirectChromium();
await using service = await startService({
  env: { TURNPIKE_LOG_LEVEL: 'warn', TURNPIKE_HOST_WARM_HEADLESS: '2', TURNPIKE_HOST_WARM_HEADFUL: '2' },
});
await using coldService = await startService({ env: { TURNPIKE_LOG_LEVEL: 'warn' } });
for (const { turnpike } of [service, coldService]) {
  await turnpike(
    'account',
    'set',
    'demo@example.com',
    '--creates-per-minute',
    '100000',
    '--browser-hours',
    'unlimited',
  );
}
const proxy = `http://customer:secret@${squid.url}`;

function session({ gatewayUrl, demoKey }: typeof service, headless: boolean): Lifecycle {
  const account = accountCalls(gatewayUrl, demoKey, proxy);
  return {
    async create() {
      const opened = await account.connect({ headless: String(headless) });
      if (opened.status !== 200) throw new Error(opened.text);
      const id = opened.headers.get('x-session-id') ?? '';
      return { url: opened.text, release: async () => void (await account.close(id)) };
    },
  };
}

const lifecycles: Record<string, Lifecycle> = {
  'Chromium started cold, no proxy': {
    async create() {
      const started = await startDirectChromium();
      return { url: started.url, release: async () => started[Symbol.asyncDispose]() };
    },
  },
  'the limit: a Chromium that already runs': {
    create: async () => ({ url: running.url, release: async () => {} }),
  },
  'Turnpike, headless, warm': session(service, true),
  'Turnpike, headful, warm': session(service, false),
  'Turnpike, headless, cold': session(coldService, true),
  'Turnpike, headful, cold': session(coldService, false),
};

async function live({ create }: Lifecycle): Promise<Record<Step, number>> {
  const marks = [performance.now()];
  const { url, release } = await create();
  marks.push(performance.now());
  const browser = await chromium.connectOverCDP(url);
  marks.push(performance.now());
  const page = await browser.contexts()[0]?.newPage();
  await page?.goto(`${web.origin}/`);
  marks.push(performance.now());
  await page?.close();
  await browser.close();
  await release();
  marks.push(performance.now());
  return Object.fromEntries(steps.map((step, i) => [step, (marks[i + 1] ?? 0) - (marks[i] ?? 0)])) as Record<
    Step,
    number
  >;
}

const results = Object.fromEntries(
  Object.keys(lifecycles).map((name) => [name, [] as Record<Step, number>[]]),
);
for (let run = -1; run < runs; run++) {
  for (const [name, lifecycle] of Object.entries(lifecycles)) {
    const took = await live(lifecycle);
    if (run >= 0) results[name]?.push(took);
    // Waits for the cleanup after a release and for the pool's refill, so that the next run does not include them.
    await new Promise((resolve) => setTimeout(resolve, 700));
  }
}
const cell = (values: number[]) => `${median(values).toFixed(0)} / ${percentile95(values).toFixed(0)}`;
const total = (took: Record<Step, number>) => steps.reduce((sum, step) => sum + took[step], 0);
const limit = median((results['the limit: a Chromium that already runs'] ?? []).map(total));
await publish(
  'lifecycle',
  'create → connectOverCDP → goto → release, milliseconds, median / 95%',
  ['', ...steps, 'total', '× the limit'],
  Object.entries(results).map(([name, took]) => [
    name,
    ...steps.map((step) => cell(took.map((one) => one[step]))),
    cell(took.map(total)),
    (median(took.map(total)) / limit).toFixed(2),
  ]),
  `${runs} runs each, interleaved, a local page. Sessions use the sandbox and Squid with a password. The others use neither.`,
);
