import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { createAccount, setLimits } from '../../apps/gateway/src/accounts/manage-account.ts';
import type { SessionRow } from '../../apps/gateway/src/store/tables.ts';
import { type Answer, accountCalls, testSealer } from '../fixtures/gateway/gateway.ts';
import { startTap, type Tap } from '../fixtures/network/tap.ts';
import { startWebServer, type WebServer } from '../fixtures/network/web-server.ts';
import { asker } from '../isolation/steady-client.ts';
import { startLocalProxy } from '../live-view/local-proxy.ts';
import { oneEventEach, totals } from './check.ts';
import { ClusterHarness } from './harness.ts';

/** PostgreSQL stopped for a while under sessions of real browsers, at the product's own times. */

export interface OutageResult {
  lines: string[];
  objections: string[];
}

/** The shortest that there is: so that one ends while PostgreSQL is away, it is stopped late in it. */
const shortestSeconds = 120;
const idleSeconds = 10;
/** How long a create may take meanwhile: a connection is given up after 3 s, a statement that is not answered after 10. */
const refusedWithinMs = { 'stop postgres': 5000, 'freeze postgres': 20_000 };
/** For endings to be told, once it is back. */
const deliveredWithinMs = 20_000;
/** A bill is right to the second. */
const promisedMs = 1000;

export async function runOutage(
  seconds: number,
  does: 'stop postgres' | 'freeze postgres' = 'stop postgres',
): Promise<OutageResult> {
  await using undo = new AsyncDisposableStack();
  const web = undo.use(await startWebServer());
  const proxy = undo.use(await startLocalProxy());
  const harness = undo.use(
    await ClusterHarness.start({
      gateways: 2,
      hosts: 2,
      browsers: 'real',
      isQuick: false,
      createSeconds: 30,
    }),
  );
  const account = await createAccount(harness.db, testSealer, { email: 'outage@example.com', name: '' });
  await setLimits(harness.db, 'outage@example.com', { concurrent_limit: null, creates_per_minute: 1000 });
  const gateways = harness.gateways.map(({ part }) => part.url);
  const open = async (what: string, params: object = {}): Promise<Watched> => {
    const tap = undo.use(await startTap(proxy.proxy.port));
    const calls = accountCalls(gateways[0] ?? '', account.apiKey, `http://127.0.0.1:${tap.port}`);
    return Watched.over(what, await calls.create({ headless: true, wait: 20, ...params }), { tap, web });
  };

  // One after the other: the last begins when the lifetime of the shortest has seconds to go.
  const expires = await open('expires', { maxLifetime: shortestSeconds });
  const crashesBefore = await open('crashes, and would have expired', { maxLifetime: shortestSeconds });
  const rest = [await open('stays'), await open('stays'), await open('crashes'), await open('quits')];
  const [stays, alsoStays, crashes, quits] = rest as [Watched, Watched, Watched, Watched];
  await delay(Math.max(0, expires.openedAt + (shortestSeconds - seconds / 2) * 1000 - Date.now()));
  const idle = await open('is idle', { idleTimeout: idleSeconds });
  await inTime(async () => idle.answers > 0);
  const all = [expires, crashesBefore, ...rest, idle];

  const stoppedAt = Date.now();
  const mend = await harness.make({ does, which: 0, atMs: 0, lastsMs: 0, cut: 'reset' });
  idle.rest();
  const away = new AbortController();
  const refused = gateways.map((url) => askInVain(accountCalls(url, account.apiKey), stays.id, away.signal));
  // What is on its way when a browser ends is counted by whoever has seen it: here nothing is.
  const restMs = expires.openedAt + shortestSeconds * 1000 - 3000 - Date.now();
  setTimeout(() => expires.rest(), restMs);
  await delay((seconds * 1000) / 4);
  for (const session of [crashesBefore, crashes]) session.end('Browser.crash');
  quits.end('Browser.close');
  await delay(Math.max(0, stoppedAt + seconds * 1000 - Date.now()));
  const objections = all.flatMap((session) => session.complaints(session === stays || session === alsoStays));
  away.abort();
  const refusals = (await Promise.all(refused)).flat();
  await mend?.();
  const backAt = Date.now();

  const rows = () => harness.db.selectFrom('sessions').selectAll().execute();
  const ended = all.filter((session) => session !== stays && session !== alsoStays);
  const delivered = await inTime(async () => {
    const states = new Map((await rows()).map(({ id, state }) => [id, state]));
    return ended.every(({ id }) => states.get(id) !== 'ACTIVE');
  });
  const deliveredMs = Date.now() - backAt;
  // A whole lease and more: nobody may be taken for lost now.
  await delay(15_000);
  const running = await rows();
  for (const session of [stays, alsoStays]) {
    const state = running.find(({ id }) => id === session.id)?.state;
    if (state !== 'ACTIVE') objections.push(`${session.what}: is ${state} after it`);
    objections.push(...session.complaints(true));
    session.rest();
    const answer = await accountCalls(gateways[1] ?? '', account.apiKey).close(session.id);
    if (answer.json?.status !== 'CLOSED') objections.push(`${session.what}: its close is ${answer.text}`);
  }
  for (const session of all) await session.closed;
  const final = await rows();
  const wanted: [Watched, Partial<SessionRow>, number | undefined][] = [
    [expires, { state: 'EXPIRED', end_reason: 'lifetime' }, undefined],
    [crashesBefore, { state: 'DEAD', end_reason: 'browser_crashed' }, crashesBefore.endedAt],
    [crashes, { state: 'DEAD', end_reason: 'browser_crashed' }, crashes.endedAt],
    [quits, { state: 'DEAD', end_reason: 'browser_closed' }, quits.endedAt],
    [idle, { state: 'CLOSED', end_reason: 'idle' }, (await idle.closed).at],
    [stays, { state: 'CLOSED', end_reason: 'client_close' }, (await stays.closed).at],
    [alsoStays, { state: 'CLOSED', end_reason: 'client_close' }, (await alsoStays.closed).at],
  ];
  if (!delivered) objections.push(`not every ending was told ${deliveredWithinMs} ms after it`);
  for (const [session, row, at] of wanted) {
    const found = final.find(({ id }) => id === session.id);
    if (!found) objections.push(`${session.what}: no record`);
    else objections.push(...difference(session, found, row, at ?? found.expires_at));
  }
  objections.push(
    ...refusals
      .filter(({ ms, status }) => status !== 503 || ms > refusedWithinMs[does])
      .map((one) => JSON.stringify(one)),
    ...(await totals(harness, account.account.id, final)),
    ...(await oneEventEach(harness, account.account.id, final)),
  );
  return { lines: [...describe(all, final), ...summary(refusals, deliveredMs)], objections };
}

interface Refusal {
  what: string;
  status: number;
  ms: number;
}

/** A create and a close, again and again, for as long as PostgreSQL is away. */
async function askInVain(
  calls: ReturnType<typeof accountCalls>,
  id: string,
  signal: AbortSignal,
): Promise<Refusal[]> {
  const seen: Refusal[] = [];
  while (!signal.aborted) {
    for (const [what, ask] of Object.entries({
      create: () => calls.create(),
      close: () => calls.close(id),
    })) {
      const beganAt = performance.now();
      const { status } = await ask();
      // What was asked just before it came back may find it there.
      if (!signal.aborted) seen.push({ what, status, ms: Math.round(performance.now() - beganAt) });
    }
    await delay(500);
  }
  return seen;
}

/** A session with a client that uses browser, page and proxy all the time, and a count of its bytes on the wire. */
class Watched {
  readonly what: string;
  readonly id: string;
  readonly tap: Tap;
  readonly openedAt = Date.now();
  readonly closed: Promise<{ code: number; at: number }>;
  /** When it was told to end. */
  endedAt: number | undefined;
  answers = 0;
  worstMs = 0;
  readonly failures: string[] = [];
  #resting = false;
  readonly #socket: WebSocket;

  private constructor(what: string, id: string, tap: Tap, socket: WebSocket) {
    this.what = what;
    this.id = id;
    this.tap = tap;
    this.#socket = socket;
    this.closed = once(socket, 'close').then(([code]) => ({ code: Number(code), at: Date.now() }));
  }

  static async over(
    what: string,
    answer: Answer,
    { tap, web }: { tap: Tap; web: WebServer },
  ): Promise<Watched> {
    if (answer.status !== 200) throw new Error(`${what}: ${answer.text}`);
    const socket = new WebSocket(answer.json.cdpUrl);
    await once(socket, 'open');
    const watched = new Watched(what, answer.json.browserId, tap, socket);
    const ask = asker(socket, 5000);
    const { targetId } = await ask('Target.createTarget', { url: `${web.origin}/` });
    const { sessionId } = await ask('Target.attachToTarget', { targetId, flatten: true });
    const expression = `fetch('${web.origin}/bytes/5000').then((r) => r.text()).then((t) => t.length)`;
    const evaluation = { expression, awaitPromise: true };
    void watched.#use(
      () => ask('Browser.getVersion'),
      async () => (await ask('Runtime.evaluate', evaluation, sessionId)).result.value === 5000,
    );
    return watched;
  }

  /** Tells the browser to end by itself. */
  end(method: string): void {
    this.rest();
    this.endedAt = Date.now();
    this.#socket.send(JSON.stringify({ id: 1_000_000, method }));
  }

  rest(): void {
    this.#resting = true;
  }

  complaints(isToLive: boolean): string[] {
    const open = this.#socket.readyState === WebSocket.OPEN;
    return [
      ...this.failures.map((failure) => `${this.what}: ${failure}`),
      ...(this.answers === 0 ? [`${this.what}: no answer`] : []),
      ...(isToLive === open ? [] : [`${this.what}: its socket is ${open ? 'open' : 'closed'}`]),
    ];
  }

  async #use(...questions: (() => Promise<unknown>)[]): Promise<void> {
    while (!this.#resting && this.#socket.readyState === WebSocket.OPEN) {
      for (const question of questions) {
        const beganAt = performance.now();
        const answer = await question().catch((error: Error) => error);
        if (this.#resting || this.#socket.readyState !== WebSocket.OPEN) return;
        if (answer instanceof Error) this.failures.push(answer.message);
        else if (!answer) this.failures.push('a wrong answer');
        else this.answers += 1;
        this.worstMs = Math.max(this.worstMs, Math.round(performance.now() - beganAt));
      }
      await delay(200);
    }
  }
}

function difference(session: Watched, row: SessionRow, wanted: Partial<SessionRow>, at: number): string[] {
  const { state, end_reason, ended_at, created_at, billed_seconds, bytes_up, bytes_down } = row;
  const ended = ended_at ?? 0;
  const billed = Math.max(30, Math.ceil((ended - created_at) / 1000));
  const bytes = bytes_up + bytes_down;
  return [
    ...(state === wanted.state && end_reason === wanted.end_reason ? [] : [`is ${state} (${end_reason})`]),
    ...(Math.abs(ended - at) <= promisedMs ? [] : [`ended ${ended - at} ms after it did`]),
    ...(billed_seconds === billed ? [] : [`is billed ${billed_seconds} s, not ${billed}`]),
    ...(bytes === session.tap.bytes() ? [] : [`has ${bytes} bytes, and ${session.tap.bytes()} on the wire`]),
  ].map((what) => `${session.what}: ${what}`);
}

function describe(sessions: readonly Watched[], rows: readonly SessionRow[]): string[] {
  return sessions.map(({ what, id, answers, worstMs, tap }) => {
    const row = rows.find((candidate) => candidate.id === id);
    const bytes = (row?.bytes_up ?? 0) + (row?.bytes_down ?? 0);
    return `${what}: ${row?.state} (${row?.end_reason}), billed ${row?.billed_seconds} s, ${bytes} bytes of ${tap.bytes()}; ${answers} answers, the slowest in ${worstMs} ms`;
  });
}

function summary(refusals: readonly Refusal[], deliveredMs: number): string[] {
  const slowest = Math.max(0, ...refusals.map(({ ms }) => ms));
  const statuses = [...new Set(refusals.map(({ status }) => status))].join(', ');
  return [
    `${refusals.length} creates and closes meanwhile: ${statuses}, the slowest in ${slowest} ms`,
    `every ending told ${deliveredMs} ms after PostgreSQL was back`,
  ];
}

async function inTime(holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + deliveredWithinMs;
  while (performance.now() < deadline) {
    if (await holds().catch(() => false)) return true;
    await delay(100);
  }
  return false;
}
