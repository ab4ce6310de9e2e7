import { setTimeout as delay } from 'node:timers/promises';
import { createAccount, setLimits } from '../../apps/gateway/src/accounts/manage-account.ts';
import { type Answer, call, someProxy, testSealer } from '../fixtures/gateway/gateway.ts';
import { mostAtOnce, objections } from './check.ts';
import type { ClusterHarness } from './harness.ts';
import { Model } from './model.ts';
import type { Plan, Step } from './plan.ts';

/** From all mended to all in order: leases, creates' deadlines, and a busy machine. */
const settleMs = 30_000;

export interface RunOptions {
  harness: ClusterHarness;
  plan: Plan;
  proxy?: string;
  /** The limit of concurrent sessions. */
  limit?: number;
}

/** What a run did, and what did not hold after it. */
export interface RunResult {
  sessions: number;
  faults: number;
  settledMs: number;
  objections: string[];
}

let runs = 0;

/** One plan from beginning to end: steps and faults, then everything is mended and must come to be in order. */
export async function runPlan({
  harness,
  plan,
  proxy = someProxy,
  limit = 6,
}: RunOptions): Promise<RunResult> {
  runs += 1;
  const email = `faults-${process.pid}-${runs}@example.com`;
  const { account, apiKey } = await createAccount(harness.db, testSealer, { email, name: '' });
  await setLimits(harness.db, email, { concurrent_limit: limit, creates_per_minute: 1000 });
  const client = new Client(harness, apiKey, proxy);
  await Promise.all(Array.from({ length: plan.firstCreates }, (_, index) => client.create(index)));
  const faults = Promise.all(plan.faults.map((fault) => inflict(harness, fault)));
  const steps: Promise<void>[] = [];
  for (const step of plan.steps) {
    await delay(step.afterMs);
    steps.push(client.take(step));
  }
  const made = await faults;
  await Promise.all(steps);

  const mendedAt = performance.now();
  const inOrder = () => settled(() => objections(harness, client.model, account.id));
  const found = await inOrder();
  const settledMs = performance.now() - mendedAt;
  if (found.length === 0) {
    client.isCalm = true;
    await client.closeAll();
    await client.fillUp(limit);
    await client.closeAll();
    found.push(...(await inOrder()));
  }
  const rows = await harness.db
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', account.id)
    .execute();
  if (mostAtOnce(rows) > limit) found.push(`${mostAtOnce(rows)} sessions at once, of ${limit}`);
  return {
    sessions: rows.length,
    faults: made.filter(Boolean).length,
    settledMs,
    objections: [...client.objections, ...found],
  };
}

async function inflict(harness: ClusterHarness, fault: Plan['faults'][number]): Promise<boolean> {
  await delay(fault.atMs);
  const mend = await harness.make(fault);
  if (!mend) return false;
  await delay(fault.lastsMs);
  await mend();
  return true;
}

/** Asks until nothing is objected to, or the time is over: then what is objected to still. */
async function settled(ask: () => Promise<string[]>): Promise<string[]> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const found = await ask();
    if (found.length === 0 || performance.now() > deadline) return found;
    await delay(150);
  }
}

/** An account's client: it knows what it was told, asks another gateway once when one does not answer. */
class Client {
  readonly model: Model;
  readonly objections: string[] = [];
  readonly #harness: ClusterHarness;
  readonly #headers: Record<string, string>;
  readonly #proxy: string;
  #creates = 0;
  /** Nothing is wrong with the cluster: refusals would be. */
  isCalm = false;

  constructor(harness: ClusterHarness, key: string, proxy: string) {
    this.#harness = harness;
    this.model = new Model(harness.troubles);
    this.#headers = { 'x-api-key': key, 'content-type': 'application/json' };
    this.#proxy = proxy;
  }

  async take(step: Step): Promise<void> {
    if (step.does === 'create') return void (await this.create(step.gateway));
    if (step.does === 'create short-lived')
      return void (await this.create(step.gateway, { maxLifetime: 1 + (step.pick % 3) }));
    const known = [...this.model.known.values()];
    const session = known[step.pick % known.length];
    if (!session) return;
    const { id, host } = session;
    switch (step.does) {
      case 'close':
        return this.#close(step.gateway, id);
      case 'status':
        return this.#status(step.gateway, id);
      case 'reconnect':
        return this.#reconnect(step.gateway, id);
      case 'crash':
        this.model.crashing(id);
        return this.#harness.tell(host, { crash: id });
      case 'transfer': {
        const bytes = { bytesUp: 1000 + step.pick, bytesDown: 100_000 + step.pick };
        return this.#harness.tell(host, { transfer: { sessionId: id, ...bytes } });
      }
    }
  }

  /** No slot is lost: of an account without sessions all can be had, on any gateway, and no more. */
  async fillUp(limit: number): Promise<void> {
    await this.#expectLimits({ limit, active: 0, remaining: limit, unlimited: false });
    const deadline = performance.now() + settleMs;
    for (let made = 0; made < limit && performance.now() < deadline; ) {
      const answer = await this.create(made);
      if (answer?.status === 200) made += 1;
      // A gateway's picture of the hosts may be a second old.
      else if (answer?.status !== 503) return void this.objections.push(`a free slot: ${answer?.text}`);
    }
    await this.#expectLimits({ limit, active: limit, remaining: 0, unlimited: false });
    const answer = await this.create(1);
    if (answer?.json?.code !== 'CONCURRENCY_LIMIT')
      this.objections.push(`a create beyond the limit: ${answer?.status} ${answer?.text}`);
  }

  async #expectLimits(expected: object): Promise<void> {
    for (const gateway of this.#harness.gateways.keys()) {
      const answer = await this.#ask(gateway, '/user/api/limits');
      if (JSON.stringify(answer?.json) !== JSON.stringify(expected))
        this.objections.push(`limits are ${answer?.text}, not ${JSON.stringify(expected)}`);
    }
  }

  async closeAll(): Promise<void> {
    const ids = await this.#listed(1);
    await Promise.all(ids.map((id, index) => this.#close(index, id)));
  }

  async #listed(gateway: number): Promise<string[]> {
    const answer = await this.#ask(gateway, '/api/browsers');
    if (!Array.isArray(answer?.json)) {
      this.objections.push(`the list of browsers: ${answer?.status} ${answer?.text}`);
      return [];
    }
    return answer.json.map(({ browserId }: { browserId: string }) => browserId);
  }

  async create(gateway: number, params: object = {}): Promise<Answer | undefined> {
    this.#creates += 1;
    const create = this.#creates;
    const body = { proxy: this.#proxy, headless: true, metadata: { create }, ...params };
    const answer = await this.#ask(gateway, '/api/browser/create', body, { 'idempotency-key': `${create}` });
    if (answer?.status === 200) {
      const { browserId: id, cdpUrl, metadata } = answer.json;
      this.model.known.set(id, { id, cdpUrl, host: metadata.turnpike.host });
    } else this.#expect('create', answer, [429, 410], [500, 502, 503]);
    return answer;
  }

  async #close(gateway: number, id: string): Promise<void> {
    const span = this.model.closing(id);
    const answer = await this.#ask(gateway, '/api/browser/close', { browserId: id });
    if (answer?.status === 200) {
      span.until = Date.now();
      this.#saw(id, answer.json.status);
    } else this.#expect(`close of ${id}`, answer, [], [500, 502, 503]);
  }

  async #status(gateway: number, id: string): Promise<void> {
    const answer = await this.#ask(gateway, `/api/browser/${id}/status`);
    if (answer?.status === 200) this.#saw(id, answer.json.status);
    else this.#expect(`status of ${id}`, answer, [], [500, 503]);
  }

  async #reconnect(gateway: number, id: string): Promise<void> {
    const answer = await this.#ask(gateway, `/connect?sessionId=${id}`);
    const session = this.model.known.get(id);
    if (answer?.status === 200 && answer.text !== session?.cdpUrl)
      this.objections.push(`reconnect to ${id} leads to ${answer.text}`);
    if (answer?.status === 410) this.#saw(id, answer.text.replace('Session is ', ''));
    this.#expect(`reconnect to ${id}`, answer, [200, 410], [500, 503]);
  }

  /** An answer asked for before an end may come after it; only what is asked for later is bound by it. */
  #saw(id: string, status: string): void {
    if (status === 'ACTIVE') return;
    const wrong = this.model.saw(id, status);
    if (wrong) this.objections.push(wrong);
  }

  #expect(what: string, answer: Answer | undefined, fine: number[], inTrouble: number[]): void {
    if (!answer) {
      if (this.isCalm) this.objections.push(`${what}: no gateway answers`);
      return;
    }
    const allowed = this.isCalm ? [...fine, 503] : [...fine, ...inTrouble];
    if (!allowed.includes(answer.status)) this.objections.push(`${what}: ${answer.status} ${answer.text}`);
  }

  async #ask(gateway: number, path: string, body?: object, headers = {}): Promise<Answer | undefined> {
    const { gateways } = this.#harness;
    for (const index of [gateway, gateway + 1]) {
      const url = gateways[index % gateways.length]?.part.url ?? '';
      try {
        return await call(url + path, {
          headers: { ...this.#headers, ...headers },
          ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        });
      } catch {
        // The next one.
      }
    }
    return undefined;
  }
}
