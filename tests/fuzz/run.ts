import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { closeSessions, type TestAccount } from '../fixtures/gateway/gateway.ts';
import { startWebServer } from '../fixtures/network/web-server.ts';
import { type Service, startService } from '../fixtures/service/service.ts';
import { type Attacker, conversations } from './conversations.ts';
import { allowedSeconds, type ConversationCost, costOfOne, WorstConversations } from './cost.ts';
import { devtoolsNoise } from './devtools-noise.ts';
import { type HostilePeer, startHostilePeer } from './hostile-peer.ts';
import { mutate } from './mutate.ts';
import { play } from './play.ts';
import { Random } from './random.ts';
import { type Resources, residentMiB, resourcesOf, settled } from './resources.ts';
import { startWaiting } from './waiting.ts';
import { type WitnessFigures, witnesses } from './witnesses.ts';

export interface FuzzOptions {
  seed: number;
  ms: number;
  /** Connections of mutated bytes at a time. */
  atOnce?: number;
}

export interface FuzzResult {
  /** What did not hold; empty: everything did. */
  objections: string[];
  conversations: Record<string, number>;
  hostileAnswers: number;
  attackerSessions: number;
  witnesses: Record<string, WitnessFigures>;
  /** The longest waits of a tenant in a process of its own, and of a process that only waits for the processor. */
  longestMs: Record<'health' | 'cdp' | 'idle', number>;
  /** Conversations of which the cost was measured, and those that cost the most for each byte. */
  measured: number;
  costliest: ConversationCost[];
  before: Resources;
  peakMiB: number;
  after: Resources;
  /** How long everything took to be back as before. */
  settledMs: number;
}

/**
 * Sends hostile bytes to every public port of a whole service, and answers its requests with hostile bytes, while real
 * browsers and accounts do their work beside it. The seed decides what is sent; when it arrives is up to the machine.
 */
export async function fuzz({ seed, ms, atOnce = 6 }: FuzzOptions): Promise<FuzzResult> {
  await using undo = new AsyncDisposableStack();
  const random = new Random(seed);
  const web = undo.use(await startWebServer());
  const hostile = undo.use(await startHostilePeer(random.fork()));
  const service = undo.use(await startService({ env }));
  const pid = service.process.pid ?? 0;
  const [victim, account] = [await service.account(limits), await service.account(limits)];
  const watching = witnesses({ service, account: victim, web });
  for (const witness of watching) await witness.round(); // What is made once is made before the comparison.
  const { after: before } = await settled(pid, resourcesOf(pid));

  const waits = undo.use(await startWaiting(service, victim));
  const run = new Run(performance.now() + ms * (1 - costShare));
  const target = await openTarget(service, account, hostile);
  await Promise.all([
    ...watching.map((witness) => run.repeat(() => witness.round())),
    ...Array.from({ length: atOnce }, () => run.mutatedConversations(random.fork(), target)),
    run.devtoolsNoise(random.fork(), target),
    run.repeat(async () => {
      run.attackerSessions += 1;
      await Promise.race([browseHostileSites(account, hostile, () => run.isOver), delay(browseMs)]);
    }),
    run.repeat(async () => {
      await expectAlive(service);
      run.peakMiB = Math.max(run.peakMiB, residentMiB(pid));
      // A noisy message may have ended the attacker's browser: then it gets another.
      if (await isActive(account, target)) await delay(1000);
      else Object.assign(target, await openTarget(service, account, hostile));
    }),
  ]);

  const costs = new WorstConversations();
  if (run.objections.length === 0)
    await measureCosts(run, costs, random.fork(), { pid, target, hostile, ms: ms * costShare });
  const longestMs = waits.longestMs;
  await waits[Symbol.asyncDispose]();

  const { objections, attackerSessions, peakMiB } = run;
  if (objections.length === 0) await closeSessions(account);
  const settlingAt = performance.now();
  const { after, left } = isRunning(service) ? await settled(pid, before) : { after: before, left: [] };
  objections.push(...left.map((what) => `left behind after a minute: ${what}`), ...escapedErrors(service));
  return {
    objections,
    attackerSessions,
    before,
    peakMiB,
    after,
    conversations: run.counts,
    longestMs,
    measured: costs.played,
    costliest: costs.worst,
    hostileAnswers: hostile.connections(),
    witnesses: Object.fromEntries(watching.map(({ name, figures }) => [name, figures])),
    settledMs: Math.round(performance.now() - settlingAt),
  };
}

/** The part of the time in which the cost of one conversation after the other is measured. */
const costShare = 0.3;

/** Plays costly conversations one at a time, so that the service's processor time is theirs. */
async function measureCosts(
  run: Run,
  costs: WorstConversations,
  random: Random,
  { pid, target, hostile, ms }: { pid: number; target: Attacker; hostile: HostilePeer; ms: number },
): Promise<void> {
  for (const endsAt = performance.now() + ms; performance.now() < endsAt; ) {
    const cost = await costOfOne(random, pid, target, hostile);
    costs.add(cost);
    const { name, bytes, seconds, sent } = cost;
    if (seconds > allowedSeconds(bytes)) {
      run.objections.push(`${name}: ${bytes} bytes took ${seconds.toFixed(2)} s of the processor: ${sent}`);
    }
  }
}

const env = { TURNPIKE_PROXY_TARGET_ALLOW: '127.0.0.0/8', TURNPIKE_PROXY_ALLOW: '127.0.0.0/8' };
const limits = { concurrent_limit: 20, creates_per_minute: 100_000 };

/** What goes on until the time is over or something does not hold. */
class Run {
  readonly objections: string[] = [];
  readonly counts: Record<string, number> = {};
  attackerSessions = 1;
  peakMiB = 0;
  readonly #endsAt: number;

  constructor(endsAt: number) {
    this.#endsAt = endsAt;
  }

  get isOver(): boolean {
    return performance.now() > this.#endsAt || this.objections.length > 0;
  }

  async repeat(work: () => Promise<void>): Promise<void> {
    while (!this.isOver) {
      await work().catch((error) =>
        this.objections.push(error instanceof Error ? error.message : String(error)),
      );
    }
  }

  mutatedConversations(random: Random, target: Attacker): Promise<void> {
    return this.repeat(async () => {
      const { name, at, messages } = mutatedConversation(random, target);
      this.#count(name);
      await play(random, at, messages);
    });
  }

  devtoolsNoise(random: Random, target: Attacker): Promise<void> {
    return this.repeat(async () => {
      this.#count('devtools noise');
      await devtoolsNoise(random, target.cdpUrl);
    });
  }

  #count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1;
  }
}

function isRunning({ process }: Service): boolean {
  return process.exitCode === null && process.signalCode === null;
}

function escapedErrors(service: Service): string[] {
  const fatal = service
    .logs()
    .split('\n')
    .filter((line) => line.includes('"level":60'));
  return fatal.map((line) => `an error escaped: ${line.slice(0, 2000)}`);
}

async function isActive(account: TestAccount, { sessionId }: Attacker): Promise<boolean> {
  return (await account.get(`/api/browser/${sessionId}/status`)).json?.status === 'ACTIVE';
}

const aliveMs = 30_000;

/** A process that is gone or spins answers nobody; then it is ended, so that nothing else waits for it. */
async function expectAlive(service: Service): Promise<void> {
  const { process, gatewayUrl, hostUrl } = service;
  if (!isRunning(service)) throw new Error(`the service ended (${process.exitCode ?? process.signalCode})`);
  const signal = AbortSignal.timeout(aliveMs);
  const asked = [`${gatewayUrl}/health`, hostUrl.replace('ws', 'http')];
  try {
    await Promise.all(asked.map((url) => fetch(url, { signal })));
  } catch (cause) {
    process.kill('SIGKILL');
    throw new Error('the service does not answer', { cause });
  }
}

function mutatedConversation(random: Random, target: Attacker) {
  const all = conversations(target);
  const { name, at, messages } = random.pick(all);
  const others = random.pick(all).messages;
  const changedAt = random.below(messages.length);
  // One in ten is cut at a random step but otherwise valid.
  const isValid = random.chance(0.1);
  const sent = messages.map((message, step) =>
    isValid || (step !== changedAt && !random.chance(0.2))
      ? message
      : mutate(random, message, random.pick(others)),
  );
  return { name, at, messages: sent };
}

/** A session of the attacker's with a live view; its proxy is hostile as well. */
async function openTarget(service: Service, account: TestAccount, hostile: HostilePeer): Promise<Attacker> {
  const opened = await account.create({ vnc: true, proxy: `http://127.0.0.1:${hostile.port}` });
  if (opened.status !== 200)
    throw new Error(`the attacker's session did not open: ${opened.status} ${opened.text}`);
  const { browserId: sessionId, cdpUrl, vncUrl } = opened.json;
  const { gatewayUrl, hostUrl, proxyUrl } = service;
  const { key, statsToken, proxyUser, proxyPassword } = account;
  return {
    gatewayUrl,
    hostUrl,
    proxyUrl,
    key,
    statsToken,
    proxyUser,
    proxyPassword,
    sessionId,
    cdpUrl,
    vncUrl,
    hostilePort: hostile.port,
  };
}

const visits = 40;
/** A client of a browser that was ended under it may wait for ever: then the next takes its place. */
const browseMs = 180_000;

/** A real browser that loads whatever a hostile proxy answers. */
async function browseHostileSites(
  account: TestAccount,
  { port }: HostilePeer,
  isOver: () => boolean,
): Promise<void> {
  const opened = await account.create({ headless: true, proxy: `http://127.0.0.1:${port}` });
  if (opened.status !== 200) throw new Error(`a session behind a hostile proxy did not open: ${opened.text}`);
  const browser = await chromium.connectOverCDP(opened.json.cdpUrl).catch(() => undefined);
  try {
    const page = browser?.contexts()[0]?.pages()[0];
    for (let i = 0; page && i < visits && !isOver(); i++) {
      const scheme = i % 4 === 3 ? 'https' : 'http';
      await page.goto(`${scheme}://site-${i}.test/`, { timeout: 3000, waitUntil: 'commit' }).catch(() => {});
    }
  } finally {
    await browser?.close().catch(() => {});
    await account.close(opened.json.browserId);
  }
}
