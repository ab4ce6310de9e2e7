import { readFileSync } from 'node:fs';
import type { BrowserParams } from '@turnpike/contract/create-parameters';
import { MemorySink } from '@turnpike/host/testing/memory-sink';
import { newRequest, startTestHost } from '@turnpike/host/testing/test-host';
import { chromium } from 'playwright-core';
import { startWorldProxy } from '../tests/fixtures/network/world-proxy.ts';
import { descendsFrom, processTable } from '../tests/fixtures/process/process-table.ts';
import { inTurns, median } from './measure.ts';
import { publish } from './table.ts';

/**
 * Measures what a recording costs: processor time of the host and its browser, memory, bytes. A script loads a page and
 * works on it, again and again, in sessions of three kinds.
 */

const rounds = Number(process.argv[2] ?? 5);
const sessionMs = 20_000;

const page = `<!doctype html><title>Bench</title><h1 id="n">0</h1>${'<p>Some words of a page that has some text</p>'.repeat(200)}
  <script>setInterval(() => { n.textContent = Number(n.textContent) + 1; }, 200)</script>`;

await using world = await startWorldProxy(({ path }, response) => {
  response.setHeader('content-type', path.startsWith('/data') ? 'application/json' : 'text/html');
  response.end(path.startsWith('/data') ? JSON.stringify({ items: Array(50).fill('item') }) : page);
});
const sink = new MemorySink();
await using running = await startTestHost({}, undefined, sink);

const kinds: Record<string, Partial<BrowserParams>> = {
  'without record': {},
  'record, 1 picture a second': { record: true },
  'record, 4 pictures a second, bodies': { record: true, recordPictures: 4, recordBodies: true },
};
const memory: Record<string, number[]> = {};
const bytes: Record<string, number[]> = {};
const trips: Record<string, number[]> = {};

/** Processor seconds of this process and all below it. */
function processorSeconds(): number {
  const table = processTable();
  const { user, system } = process.cpuUsage();
  let seconds = (user + system) / 1e6;
  for (const pid of table.keys()) {
    if (!descendsFrom(table, pid, process.pid)) continue;
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      seconds += (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      // The process has ended.
    }
  }
  return seconds;
}

function pssMebibytes(): number {
  const table = processTable();
  let sum = 0;
  for (const pid of table.keys()) {
    if (pid !== process.pid && !descendsFrom(table, pid, process.pid)) continue;
    try {
      sum += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
    } catch {
      // The process has ended.
    }
  }
  return sum / 1024;
}

/** Returns the processor seconds of a session's work. */
async function measure(kind: string): Promise<number> {
  const request = newRequest(world.upstream);
  const session = await running.open({ ...request, params: { ...request.params, ...kinds[kind] } });
  const browser = await chromium.connectOverCDP(session.url);
  const [tab] = browser.contexts()[0]?.pages() ?? [];
  const [startedAt, before] = [performance.now(), processorSeconds()];
  for (let i = 0; performance.now() - startedAt < sessionMs; i++) {
    await tab?.goto(`http://bench.test/${i}`);
    for (let j = 0; j < 20; j++)
      await tab?.evaluate(`fetch('/data/${i}/${j}').then((response) => response.text())`);
    await tab?.waitForTimeout(1000);
  }
  const used = processorSeconds() - before;
  memory[kind] = [...(memory[kind] ?? []), pssMebibytes()];
  const tripsAt = performance.now();
  for (let i = 0; i < 500; i++) await tab?.evaluate('1');
  trips[kind] = [...(trips[kind] ?? []), (performance.now() - tripsAt) * 2];
  await browser.close();
  await running.host.close(session.sessionId);
  if (kinds[kind]?.record) await sink.ended(session.sessionId);
  const chunks = sink.of(session.sessionId);
  const size = chunks.reduce(
    (sum, { events, pictures }) =>
      sum + events.length + pictures.reduce((all, { length }) => all + length, 0),
    0,
  );
  bytes[kind] = [...(bytes[kind] ?? []), (size / (performance.now() - startedAt)) * 60_000];
  sink.chunks.length = 0;
  return used;
}

const results = await inTurns(
  rounds,
  Object.fromEntries(Object.keys(kinds).map((kind) => [kind, () => measure(kind)])),
);
await publish(
  'recording',
  'What a recording costs',
  ['', 'processor, % of a core', 'memory, MiB', 'kB a minute', 'µs for an evaluate'],
  Object.keys(kinds).map((kind) => [
    kind,
    ((median(results[kind] ?? []) / (sessionMs / 1000)) * 100).toFixed(0),
    median(memory[kind] ?? []).toFixed(0),
    (median(bytes[kind] ?? []) / 1000).toFixed(0),
    median(trips[kind] ?? []).toFixed(0),
  ]),
  `Medians of ${rounds} sessions of ${sessionMs / 1000} seconds each, in turns. Processor time and memory are those of the host, the client and the browser together; recordings are kept in the host's memory meanwhile.`,
);
