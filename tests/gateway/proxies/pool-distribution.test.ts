// @module-tag slow
import { HostError } from '@turnpike/contract/host';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  accountCalls,
  startTestGateway,
  type TestAccount,
  type TestGateway,
  type TestStore,
  testStore,
} from '../../fixtures/gateway/gateway.ts';
import { watchLeaks } from '../../fixtures/suite/leaks.ts';

/** A thousand creates for each policy, over three gateways, while two of a pool's seven proxies fail half-way. */

watchLeaks({ wholeFile: true });

const creates = 1000;
const atOnce = 12;
const members = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'];
/** Nobody listens there: proxies that fail are dialled again in the background, and must go on failing. */
const hostOf = (name: string) => `127.0.1.${1 + members.indexOf(name)}`;
const failing = ['p1', 'p4'];

let store: TestStore;
let gateways: TestGateway[];
const broken = new Set<string>();

beforeAll(async () => {
  store = await testStore('postgres');
  gateways = [];
  for (const hostName of ['one', 'two', 'three']) {
    const gateway = await startTestGateway(store.location, { hostName, proxyAllow: '127.0.0.0/8' });
    gateway.host.places = 100_000;
    gateway.host.onOpen = async ({ proxy }) => {
      if (broken.has(proxy.host))
        throw new HostError('PROXY_UNREACHABLE', `The proxy ${proxy.label} is closed`);
    };
    gateways.push(gateway);
  }
  // Every choice is stored under the account's lock, and so is every change of a proxy's state: what a trigger sees is
  // what the choice saw.
  await sql`create table choices (seq bigserial, session_id text, renamed_from text, proxy_id text, failing text)`.execute(
    db(),
  );
  await sql`create function note_choice() returns trigger language plpgsql as $$ begin
      insert into choices (session_id, renamed_from, proxy_id, failing) select new.session_id,
        case when tg_op = 'UPDATE' then old.session_id end, new.proxy_id,
        coalesce((select string_agg(id, ',') from saved_proxies where account_id = new.account_id and state = 'failing'), '');
      return new; end $$`.execute(db());
  await sql`create trigger note_choice after insert or update on session_proxies
      for each row execute function note_choice()`.execute(db());
}, 300_000);
afterAll(async () => {
  for (const gateway of gateways) await gateway[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
}, 300_000);

const db = () => (gateways[0] as TestGateway).running.gateway.db;

interface Choice {
  session_id: string;
  renamed_from: string | null;
  proxy: string;
  failing: Set<string>;
}

async function newPool(policy: string): Promise<TestAccount> {
  const account = await (gateways[0] as TestGateway).account({
    creates_per_minute: 1_000_000,
    concurrent_limit: null,
    browser_seconds_cap: null,
  });
  for (const name of members)
    await account.post('/user/api/proxies', { name, url: `http://${hostOf(name)}:1` });
  const saved = await account.post('/user/api/proxy-pools', { name: 'all', policy, members });
  expect(saved.status).toBe(200);
  return account;
}

interface Opened {
  key: string;
  proxy: string;
  isSecondHalf: boolean;
}

/** Opens sessions on all gateways at once. Two proxies stop working when half of the creates are answered. */
async function run(account: TestAccount, keyOf: (index: number) => string | undefined): Promise<Opened[]> {
  broken.clear();
  const callers = gateways.map(({ url }) => accountCalls(url, account.key));
  const opened: Opened[] = [];
  let next = 0;
  const work = async (until: number) => {
    while (next < until) {
      const index = next++;
      const key = keyOf(index);
      const caller = callers[index % callers.length] as (typeof callers)[number];
      const body = { proxy: 'pool:all', ...(key !== undefined && { proxy_key: key }) };
      const answer = await caller.post('/api/browser/create', body);
      if (answer.status !== 200) throw new Error(answer.text);
      const proxy = (answer.headers.get('x-proxy') ?? '').replace('name:', '');
      opened.push({ key: key ?? '', proxy, isSecondHalf: until === creates });
    }
  };
  const all = (until: number) => Promise.all(Array.from({ length: atOnce }, () => work(until)));
  await all(creates / 2);
  for (const name of failing) broken.add(hostOf(name));
  await all(creates);
  return opened;
}

async function choicesOf(account: TestAccount): Promise<Choice[]> {
  const { rows } = await sql<{
    session_id: string;
    renamed_from: string | null;
    name: string;
    failing: string;
  }>`select c.session_id, c.renamed_from, p.name, c.failing from choices c join saved_proxies p on p.id = c.proxy_id
      where p.account_id = ${account.id} order by c.seq`.execute(db());
  const ids = await db()
    .selectFrom('saved_proxies')
    .select(['id', 'name'])
    .where('account_id', '=', account.id)
    .execute();
  const nameOf = new Map(ids.map(({ id, name }) => [id, name]));
  return rows.map(({ name, failing: down, ...row }) => ({
    ...row,
    proxy: name,
    failing: new Set(down === '' ? [] : down.split(',').map((id) => nameOf.get(id) ?? '')),
  }));
}

/** Follows the choices one after the other. `expected` says which member the policy has to take. */
async function replay(
  account: TestAccount,
  expected: (choice: Choice, running: ReadonlyMap<string, string>) => string,
) {
  /** The proxy of each session. */
  const running = new Map<string, string>();
  let made = 0;
  const wrong: string[] = [];
  for (const choice of await choicesOf(account)) {
    const { session_id: id, renamed_from: before, proxy, failing: down } = choice;
    if (before !== null) {
      running.set(id, running.get(before) ?? proxy);
      running.delete(before);
      continue;
    }
    if (down.has(proxy)) wrong.push(`${made}: ${proxy} was known to be down`);
    const right = expected(choice, running);
    if (right !== proxy) wrong.push(`${made}: ${proxy}, not ${right}`);
    running.set(id, proxy);
    made += 1;
  }
  expect(wrong).toEqual([]);
  return made;
}

function checkAll(opened: readonly Opened[], made: number): void {
  expect(opened).toHaveLength(creates);
  // Those that met a proxy that had stopped working were chosen for once more.
  expect(made).toBeGreaterThanOrEqual(creates);
  expect(made).toBeLessThanOrEqual(creates + failing.length * atOnce);
}

const healthy = ({ failing: down }: Choice) => members.filter((name) => !down.has(name));
const countOf = (names: Iterable<string>, name: string) => [...names].filter((each) => each === name).length;

test('round_robin takes the next one', { timeout: 600_000 }, async () => {
  const account = await newPool('round_robin');
  const opened = await run(account, () => undefined);
  let turn = -1;
  const made = await replay(account, (choice) => {
    const able = healthy(choice);
    const next = able.find((name) => members.indexOf(name) > turn) ?? (able[0] as string);
    turn = members.indexOf(next);
    return next;
  });
  checkAll(opened, made);
  const first = opened.filter(({ isSecondHalf }) => !isSecondHalf).map(({ proxy }) => proxy);
  for (const name of members) expect([71, 72]).toContain(countOf(first, name));
});

test('least_sessions takes the one with the fewest sessions', { timeout: 600_000 }, async () => {
  const account = await newPool('least_sessions');
  const opened = await run(account, () => undefined);
  const made = await replay(account, (choice, running) => {
    const counts = new Map(members.map((name) => [name, countOf(running.values(), name)]));
    return healthy(choice).reduce((best, name) =>
      (counts.get(name) ?? 0) < (counts.get(best) ?? 0) ? name : best,
    );
  });
  checkAll(opened, made);
});

test('least_bytes takes the one with the fewest bytes', { timeout: 600_000 }, async () => {
  const account = await newPool('least_bytes');
  const rows = await db()
    .selectFrom('saved_proxies')
    .select(['id', 'name'])
    .where('account_id', '=', account.id)
    .execute();
  const bytesOf = (name: string) => ({ p1: 10, p4: 10, p2: 20, p6: 20 })[name] ?? 30;
  const zeros = {
    sessions: 0,
    connections: 0,
    failures: 0,
    first_bytes: 0,
    first_byte_ms: 0,
    exit_changes: 0,
  };
  await db()
    .insertInto('proxy_days')
    .values(
      rows.map(({ id, name }) => ({
        account_id: account.id,
        proxy_id: id,
        pool_id: '',
        day: new Date().toISOString().slice(0, 10),
        ...zeros,
        bytes_up: bytesOf(name),
        bytes_down: 0,
        cost_micros: 0,
      })),
    )
    .execute();
  const opened = await run(account, () => undefined);
  const made = await replay(account, (choice) =>
    healthy(choice).reduce((best, name) => (bytesOf(name) < bytesOf(best) ? name : best)),
  );
  checkAll(opened, made);
  expect(new Set(opened.map(({ proxy }) => proxy))).toEqual(new Set(['p1', 'p2']));
});

test('random takes any that works', { timeout: 600_000 }, async () => {
  const account = await newPool('random');
  const opened = await run(account, () => undefined);
  checkAll(opened, await replay(account, ({ proxy }) => proxy));
  const first = opened.filter(({ isSecondHalf }) => !isSecondHalf).map(({ proxy }) => proxy);
  // 500 of 7: 71 and a deviation of 7.8. Six of those are seen once in many millions.
  for (const name of members) expect(Math.abs(countOf(first, name) - 500 / 7)).toBeLessThan(47);
});

test('sticky never splits a key', { timeout: 600_000 }, async () => {
  const account = await newPool('sticky');
  const keys = 50;
  const opened = await run(account, (index) => `customer-${index % keys}`);
  // What a key has to get is seen in the answers.
  checkAll(opened, await replay(account, ({ proxy }) => proxy));
  const first = new Map<string, string>();
  const firstHalf = opened.filter(({ isSecondHalf }) => !isSecondHalf);
  for (const { key, proxy } of firstHalf) {
    expect(first.get(key) ?? proxy, key).toBe(proxy);
    first.set(key, proxy);
  }
  for (const name of members) expect([7, 8]).toContain(countOf(first.values(), name));
  const second = new Map<string, string>();
  for (const { key, proxy } of opened.filter(({ isSecondHalf }) => isSecondHalf)) {
    expect(second.get(key) ?? proxy, key).toBe(proxy);
    second.set(key, proxy);
    const before = first.get(key) as string;
    if (!failing.includes(before)) expect(proxy, key).toBe(before);
    else expect(failing, key).not.toContain(proxy);
  }
  for (const name of members)
    if (failing.includes(name)) expect(countOf(second.values(), name)).toBe(0);
    else expect([10]).toContain(countOf(second.values(), name));
});
