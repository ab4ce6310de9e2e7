import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ControlGroups } from '../../apps/host/src/sandbox/control-groups/control-groups.ts';
import { type DirectChromium, startDirectChromium } from '../fixtures/browsers/direct-chromium.ts';
import { closeSessions, type TestAccount } from '../fixtures/gateway/gateway.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { Random } from '../fuzz/random.ts';
import { type Resources, residentMiB, resourcesOf, settled } from '../fuzz/resources.ts';
import type { AttackerAnswer, AttackerOrder } from './attacker-main.ts';
import { attacks } from './attacks/all.ts';
import { secondsSince, threadSeconds } from './processor-time.ts';
import type { Sample, VictimOptions, Watched } from './victim-main.ts';

export interface FairnessOptions {
  /** Rows of the table, played one after the other. */
  rows: readonly number[];
  /** How many random mixtures follow, of three rows at the same time. */
  mixtures: number;
  /** How long each row and each mixture goes on; each is played once at least. */
  sliceMs: number;
  seed: number;
  /** How much each attack sends, of what it would send in full. */
  scale: number;
  /** Whether a browser beside the service is asked as well: what the machine alone makes wait. */
  withDirect?: boolean;
  onSlice?: (slice: Slice) => void;
}

/** What happened beside some rows. */
export interface Slice {
  name: string;
  rows: readonly number[];
  samples: Sample[];
  sentBytes: number;
  rounds: number;
  failures: string[];
  /** The processor time of the service, without its browsers. */
  serviceSeconds: number;
  lastedMs: number;
  residentMiB: number;
}

export interface FairnessResult {
  slices: Slice[];
  before: Resources;
  after: Resources;
  /** What the attacker has left behind. */
  left: string[];
  /** Processor time by tenant, if the service publishes it: lines of its metrics. */
  byTenant: string[];
  fatalLines: string[];
}

const env = { TURNPIKE_METRICS_PORT: '0', TURNPIKE_HOST_SEATS: '12' };
const limits = { concurrent_limit: 6, creates_per_minute: 100_000 };

/** Lets a tenant work beside an attacker that plays each row, and then random mixtures of them. */
export async function runFairness(options: FairnessOptions): Promise<FairnessResult> {
  await using undo = new AsyncDisposableStack();
  const service = undo.use(await startService({ env }));
  const pid = service.process.pid ?? 0;
  const [victim, attacker] = [await service.account(limits), await service.account(limits)];
  // The first page call starts a thread that stays.
  await victim.post('/api/page/content', { html: '<p>A page', proxy: victim.proxy });
  const { after: before } = await settled(pid, resourcesOf(pid));
  const samples: Sample[] = [];
  const { json } = await victim.create({ headless: true });
  const { gatewayUrl } = service;
  const watching: VictimOptions = { gatewayUrl, key: victim.key, proxy: victim.proxy, cdpUrl: json.cdpUrl };
  const children = undo.use(new AsyncDisposableStack());
  watch(children, watching, samples);
  watch(children, 'machine', samples);
  if (options.withDirect) watch(children, { directUrl: (await startDirect(children)).url }, samples);
  await servedSince(samples, 0, service);

  const attacking = await startAttacker(children, service, attacker, options);
  const slices: Slice[] = [];
  for (const rows of [[], ...planned(options)]) {
    const [at, began, seconds] = [Date.now(), performance.now(), threadSeconds(pid)];
    const { sentBytes, rounds, failures } = await attacking({ play: rows, untilMs: options.sliceMs });
    if (rows.length === 0) await delay(Math.min(options.sliceMs, 5000));
    await servedSince(samples, Date.now(), service);
    const slice: Slice = {
      name: nameOf(rows),
      rows,
      sentBytes,
      rounds,
      failures,
      samples: samples.filter((sample) => sample.at >= at),
      serviceSeconds: secondsSince(pid, seconds),
      lastedMs: performance.now() - began,
      residentMiB: residentMiB(pid),
    };
    slices.push(slice);
    options.onSlice?.(slice);
  }

  await attacking({ end: true });
  await children.disposeAsync();
  await closeSessions(attacker);
  await closeSessions(victim);
  const byTenant = await tenantMetrics(service);
  const { after, left } = await settled(pid, before);
  const fatalLines = service
    .logs()
    .split('\n')
    .filter((line) => line.includes('"level":60'));
  return { slices, before, after, left, byTenant, fatalLines };
}

function planned({ rows, mixtures, seed }: FairnessOptions): number[][] {
  const random = new Random(seed);
  const mixture = () => Array.from({ length: 3 }, () => random.pick(rows));
  return [...rows.map((row) => [row]), ...Array.from({ length: mixtures }, mixture)];
}

function nameOf(rows: readonly number[]): string {
  if (rows.length === 0) return 'nobody';
  if (rows.length > 1) return `${rows.join(', ')} together`;
  return `${rows[0]}: ${attacks.find(({ row }) => row === rows[0])?.name}`;
}

function startChild(undo: AsyncDisposableStack, program: string): ChildProcess {
  const child = fork(join(import.meta.dirname, program), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  undo.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  });
  return child;
}

/** Starts a Chromium that has the processor's weight of a session. */
async function startDirect(undo: AsyncDisposableStack): Promise<DirectChromium> {
  const groups = ControlGroups.find({ memoryBytes: 2 ** 31, processes: 1000 });
  const group = groups.create();
  undo.defer(() => group.remove());
  const onSpawned = (pid: number) => {
    for (const file of group.procsFiles) writeFileSync(file, String(pid));
  };
  return undo.use(await startDirectChromium({ onSpawned }));
}

function watch(undo: AsyncDisposableStack, what: Watched, samples: Sample[]): void {
  const child = startChild(undo, 'victim-main.ts');
  child.on('message', (sample: Sample) => samples.push(sample));
  child.send(what);
}

async function startAttacker(
  undo: AsyncDisposableStack,
  { gatewayUrl, proxyUrl }: Service,
  { key, proxy }: TestAccount,
  { seed, scale }: FairnessOptions,
): Promise<(order: AttackerOrder) => Promise<AttackerAnswer>> {
  const child = startChild(undo, 'attacker-main.ts');
  const order = async (given: AttackerOrder): Promise<AttackerAnswer> => {
    const answered = once(child, 'message');
    child.send(given);
    return (await answered)[0];
  };
  await order({ prepare: { gatewayUrl, proxyUrl, key, proxy, seed, scale } });
  return order;
}

/** How long the victim may wait. A service that does not come back at all is ended, so that the run is. */
const heldMs = 300_000;

/** Waits until the victim was served by both, with something that it asked for after a time. */
async function servedSince(samples: readonly Sample[], time: number, { process }: Service): Promise<void> {
  const deadline = performance.now() + heldMs;
  for (const kind of ['health', 'cdp'] as const) {
    while (!samples.some((sample) => sample.kind === kind && sample.at >= time)) {
      if (process.exitCode !== null || process.signalCode !== null) throw new Error('The service ended.');
      if (performance.now() > deadline)
        throw new Error(`The victim was not served for ${heldMs} ms (${kind}).`);
      await delay(20);
    }
  }
}

async function tenantMetrics({ metricsUrl }: Service): Promise<string[]> {
  const answer = await fetch(metricsUrl).catch(() => undefined);
  const lines = (await answer?.text())?.split('\n') ?? [];
  return lines.filter((line) => /^turnpike_\w*processor\w*\{/.test(line));
}
