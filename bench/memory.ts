import { readFileSync } from 'node:fs';
import { accountCalls } from '../tests/fixtures/gateway/gateway.ts';
import { descendsFrom, processTable } from '../tests/fixtures/process/process-table.ts';
import { startService } from '../tests/fixtures/service/service.ts';
import { startDirectChromium } from './direct-chromium.ts';
import { median } from './measure.ts';
import { publish } from './table.ts';

/** Measures the memory (PSS) of one more idle session, of a plain Chromium, and of the service without browsers. */

const starts = 5;
const mebibyte = 1024;

/** Proportional set size of a process and all below it, in KiB. */
function pss(root: number): number {
  const table = processTable();
  let sum = 0;
  for (const pid of table.keys()) {
    if (pid !== root && !descendsFrom(table, pid, root)) continue;
    try {
      sum += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return sum;
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 3000));

await using service = await startService({ env: { TURNPIKE_LOG_LEVEL: 'warn' } });
const account = accountCalls(service.gatewayUrl, service.demoKey, service.demoProxyUrl);
const root = service.process.pid ?? 0;
await settle();
const idle = pss(root);
const costs: Record<string, number[]> = {
  'plain Chromium, headless': [],
  'a session, headless': [],
  'plain Chromium, one more': [],
};
for (let i = 0; i < starts; i++) {
  await using _shared = await startDirectChromium();
  await settle();
  const before = pss(root);
  const opened = await account.connect({ headless: 'true' });
  await settle();
  costs['a session, headless']?.push(pss(root) - before);
  await account.close(opened.headers.get('x-session-id') ?? '');
  await using plain = await startDirectChromium();
  await settle();
  costs['plain Chromium, headless']?.push(pss(plain.pid));
}
const [session, plain] = [
  median(costs['a session, headless'] ?? []),
  median(costs['plain Chromium, headless'] ?? []),
];
await publish(
  'memory',
  'Memory, PSS in MiB',
  ['', 'MiB'],
  [
    ['the service, idle, no browser', (idle / mebibyte).toFixed(0)],
    ['plain Chromium with the same flags, beside another', (plain / mebibyte).toFixed(0)],
    ['one more idle headless session', (session / mebibyte).toFixed(0)],
    ['ratio', `${Math.round((session / plain) * 100)}%`],
  ],
  `Medians of ${starts} fresh starts. Another Chromium runs all the time, so that shared memory pages are shared in both cases.`,
);
