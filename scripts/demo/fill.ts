import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Product, products } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { statsToken } from '../../apps/gateway/src/accounts/account-credentials.ts';
import {
  createAccount,
  getAccount,
  reinstateAccount,
  setLimits,
  suspendAccount,
} from '../../apps/gateway/src/accounts/manage-account.ts';
import { addBytes } from '../../apps/gateway/src/bandwidth/bandwidth-store.ts';
import { ingestUsage } from '../../apps/gateway/src/bandwidth/ingest-usage.ts';
import { recordSessionFact } from '../../apps/gateway/src/events/session-events.ts';
import { summaryOf } from '../../apps/gateway/src/ledger/traffic.ts';
import { settleTraffic } from '../../apps/gateway/src/ledger/traffic-store.ts';
import { addFailures, type FailedCreates } from '../../apps/gateway/src/metrics/create-failure-store.ts';
import { createOperatorToken } from '../../apps/gateway/src/operator/operator-tokens.ts';
import { newCdpId, newSessionId } from '../../apps/gateway/src/secrets/new-ids.ts';
import type { Sealer } from '../../apps/gateway/src/secrets/sealer.ts';
import { endSession } from '../../apps/gateway/src/sessions/session-lifecycle-store.ts';
import { findSessionById } from '../../apps/gateway/src/sessions/session-store.ts';
import type { Database } from '../../apps/gateway/src/store/database.ts';
import type { AccountRow, SessionRow } from '../../apps/gateway/src/store/tables.ts';
import { hashPassword } from '../../apps/gateway/src/users/password.ts';
import { ensureUser, setPassword } from '../../apps/gateway/src/users/user-store.ts';
import { addProxies } from './proxies.ts';
import { Random } from './random.ts';
import { chromiumVersion, type DemoHost, demoSession } from './sessions.ts';
import { demoTraffic } from './traffic.ts';

const days = 60;
const dayMs = 86_400_000;
export const operatorEmail = 'operator@example.com';
export const demoEmail = 'demo@example.com';

const others = [
  ['ada@analytical.example', 'Analytical Engines'],
  ['ops@northwind.example', 'Northwind Traders'],
  ['dev@globex.example', 'Globex'],
  ['qa@initech.example', 'Initech'],
  ['data@umbrella.example', 'Umbrella Research'],
  ['team@hooli.example', 'Hooli'],
  ['build@acme.example', 'Acme'],
  ['crawl@stark.example', 'Stark Industries'],
  ['web@wayne.example', 'Wayne Enterprises'],
  ['price@soylent.example', 'Soylent'],
  ['bots@tyrell.example', 'Tyrell'],
] as const;

const hosts: DemoHost[] = ['fra-1', 'fra-2', 'iad-1', 'iad-2', 'sin-1'].map((name, i) => ({
  name,
  region: name.slice(0, 3),
  seats: [48, 48, 64, 64, 32][i] ?? 48,
  publicUrl: `wss://${name}.browsers.example.com`,
}));

const countries = { US: 40, DE: 18, GB: 12, FR: 9, JP: 7, BR: 5, IN: 4, PL: 3, ES: 2 };

/**
 * Fills a store with twelve accounts and sixty days, to look at the dashboard with. Returns the password of both users,
 * which is random: a store that was filled by mistake is not open to whoever knows this project.
 */
export async function fill(db: Database, sealer: Sealer): Promise<string> {
  const random = new Random(20_260_101);
  const now = Date.now();
  const names = [[demoEmail, 'Demo'] as const, ...others];
  for (const [email, name] of names) {
    await createAccount(db, sealer, { email, name }).catch((error) => {
      if (email !== demoEmail) throw error; // `npm start` has created it already.
    });
  }
  const accounts = await Promise.all(names.map(([email]) => getAccount(db, email)));
  for (const [index, account] of accounts.entries()) {
    const busy = index === 0 ? 9 : random.between(0, 6);
    const sessions = sessionsOf(random, account, busy, now);
    await addSessions(db, sessions);
    if (account.email === demoEmail) await addTraffic(db, sessions);
    await addBandwidth(db, random, account, busy + 1, now);
  }
  await setLimits(db, demoEmail, { concurrent_limit: 20, browser_seconds_cap: 400 * 3600 });
  await setLimits(db, 'ada@analytical.example', { concurrent_limit: null, browser_seconds_cap: null });
  await suspendAccount(db, 'bots@tyrell.example');
  await suspendAccount(db, 'web@wayne.example');
  await reinstateAccount(db, 'web@wayne.example');
  await statsToken(db, sealer, demoEmail, { rotate: true });
  await createOperatorToken(db, 'fleet collector');
  await createOperatorToken(db, 'billing export');
  await addBatches(db, random, accounts, now);
  await addFailures(db, failedCreates(random, now));
  await spreadAudit(db, random, now);
  const password = randomBytes(12).toString('base64url');
  await addProxies(db, sealer, new Random(4), (accounts[0] as AccountRow).id, now);
  await addPeople(db, accounts[0] as AccountRow, password);
  return password;
}

function sessionsOf(random: Random, account: AccountRow, busy: number, now: number): SessionRow[] {
  const rows: SessionRow[] = [];
  for (let day = days; day >= 0; day--) {
    const isWeekend = [0, 6].includes(new Date(now - day * dayMs).getUTCDay());
    const count = Math.round(busy * (isWeekend ? 0.4 : 1) * (0.5 + random.next()) * (1.3 - day / 120));
    for (let i = 0; i < count; i++) {
      const at = now - day * dayMs - random.between(0, dayMs - 1) - 4 * 3_600_000;
      rows.push(demoSession(random, account, hosts, at, now));
    }
  }
  return rows;
}

function failedCreates(random: Random, now: number): FailedCreates[] {
  const reasons = { CONCURRENCY_LIMIT: 30, PROXY_UNREACHABLE: 24, RATE_LIMIT: 12, CAPACITY: 6, '400': 4 };
  return Array.from({ length: days }, (_, day) =>
    Object.entries(reasons).map(([code, often]) => ({ day, code, often })),
  )
    .flat()
    .map(({ day, code, often }) => ({
      hour: Math.floor((now - day * dayMs) / 3_600_000) * 3_600_000,
      code,
      creates: Math.round((random.next() ** 2 * often) / 4),
    }));
}

/** With the sums that their endings would have written. */
async function addSessions(db: Database, rows: readonly SessionRow[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const row of rows) {
      await trx.insertInto('sessions').values(row).execute();
      const { account_id, billed_seconds, bytes_up, bytes_down, ended_at } = row;
      await trx
        .insertInto('usage_days')
        .values({
          account_id,
          day: utcDay(ended_at ?? 0),
          sessions: 1,
          browser_seconds: billed_seconds,
          bytes_up,
          bytes_down,
        })
        .onConflict((conflict) =>
          conflict.columns(['account_id', 'day']).doUpdateSet((e) => ({
            sessions: e('usage_days.sessions', '+', 1),
            browser_seconds: e('usage_days.browser_seconds', '+', billed_seconds),
            bytes_up: e('usage_days.bytes_up', '+', bytes_up),
            bytes_down: e('usage_days.bytes_down', '+', bytes_down),
          })),
        )
        .execute();
      await trx
        .updateTable('accounts')
        .set((e) => ({ browser_seconds: e('browser_seconds', '+', billed_seconds) }))
        .where('id', '=', account_id)
        .execute();
    }
  });
}

/** Adds where their bytes went. It is for the pages of an account, so one account has it. */
async function addTraffic(db: Database, rows: readonly SessionRow[]): Promise<void> {
  const random = new Random(3);
  await db.transaction().execute(async (trx) => {
    for (const row of rows) {
      const at = row.ended_at ?? row.created_at;
      const traffic = demoTraffic(random, row);
      await settleTraffic(trx, row, traffic, { at, day: utcDay(at) });
      const summary = JSON.stringify(summaryOf(traffic));
      await trx.updateTable('sessions').set({ traffic: summary }).where('id', '=', row.id).execute();
    }
  });
}

async function addBandwidth(
  db: Database,
  random: Random,
  { id: accountId }: AccountRow,
  busy: number,
  now: number,
): Promise<void> {
  const share: Record<Product, number> = {
    residential: 1,
    'rotating-isp': 0.35,
    'rotating-dc': 0.6,
    'web-unblocker': 0.15,
  };
  const counts = products.flatMap((product) =>
    Array.from({ length: days + 1 }, (_, day) => day).flatMap((day) =>
      Object.entries(countries).map(([country, weight]) => {
        const gigabytes = (busy * share[product] * weight * (0.4 + random.next()) * (1.4 - day / 90)) / 100;
        const bytes = BigInt(Math.round(gigabytes * 1e9) + random.between(0, 999));
        return { accountId, product, country, day: utcDay(now - day * dayMs), bytes };
      }),
    ),
  );
  await db.transaction().execute((trx) => addBytes(trx, counts));
}

async function addBatches(
  db: Database,
  random: Random,
  accounts: readonly AccountRow[],
  now: number,
): Promise<void> {
  for (let hour = 30; hour >= 0; hour--) {
    const at = now - hour * 3_600_000 - random.between(0, 600_000);
    const records = Array.from({ length: random.between(4, 14) }, () => ({
      id: `demo-${random.hex(12)}`,
      account: random.next() < 0.04 ? 'gone@example.com' : random.pick(accounts).id,
      product: random.next() < 0.03 ? 'mobile' : random.pick(products),
      country: random.draw(countries),
      bytes: random.between(1_000_000, 80_000_000),
      at,
    }));
    const source = hour % 7 === 3 ? 'cli' : 'token fleet collector';
    await ingestUsage(
      { db, now: () => at },
      records.map((record) => () => record),
      source,
    );
  }
}

/** As if it had been done over the weeks. */
async function spreadAudit(db: Database, random: Random, now: number): Promise<void> {
  const entries = await db
    .selectFrom('audit_log')
    .select(['id', 'action'])
    .orderBy('at')
    .orderBy('id')
    .execute();
  for (const [index, { id }] of entries.entries()) {
    const at =
      now - Math.round(((entries.length - index) / entries.length) * 40 * dayMs * (0.9 + random.next() / 10));
    const byPerson = random.next() < 0.8;
    const actor = byPerson ? operatorEmail : 'cli';
    const address = byPerson ? `198.51.100.${random.between(2, 40)}` : null;
    await db.updateTable('audit_log').set({ at, actor, address }).where('id', '=', id).execute();
  }
}

async function addPeople(db: Database, demo: AccountRow, password: string): Promise<void> {
  const hash = await hashPassword(password);
  await db.transaction().execute(async (trx) => {
    for (const person of [
      { email: operatorEmail, role: 'operator', accountId: null },
      { email: demoEmail, role: 'account', accountId: demo.id },
    ] as const) {
      const user = await ensureUser(trx, person);
      if (user) await setPassword(trx, user.id, hash);
    }
  });
}

/** Whether a store was filled by `fill`. */
export async function isFilled(db: Database): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', others[0][0])
    .executeTakeFirst();
  return row !== undefined;
}

/** The accounts that `fill` created. */
export const demoAccounts = (db: Database): Promise<AccountRow[]> =>
  Promise.all([demoEmail, ...others.map(([email]) => email)].map((email) => getAccount(db, email)));

/** Sends heartbeats of hosts and keeps sessions running, until the signal aborts. */
export async function keepAlive(
  db: Database,
  accounts: readonly AccountRow[],
  signal: AbortSignal,
): Promise<void> {
  const random = new Random(2);
  const running = accounts
    .slice(0, 6)
    .flatMap((account, index) =>
      Array.from({ length: index === 0 ? 7 : 2 }, () => runningSession(random, account)),
    );
  await beat(db, running);
  await db.insertInto('sessions').values(running).execute();
  while (!signal.aborted) {
    await beat(db, running);
    for (const session of running) {
      session.bytes_down += random.between(0, 900_000);
      session.bytes_up += random.between(0, 60_000);
      const { bytes_up, bytes_down } = session;
      await db.updateTable('sessions').set({ bytes_up, bytes_down }).where('id', '=', session.id).execute();
    }
    await delay(2000, undefined, { signal }).catch(() => {});
  }
  for (const { id } of running) {
    const session = await findSessionById(db, id);
    const ending = { status: 'CLOSED', endedAt: Date.now(), reason: 'client_close' } as const;
    if (session) await endSession({ db, outbox: recordSessionFact, countBytes: addBytes }, session, ending);
  }
}

/** Its ids are new: this may be run again on the same store. */
function runningSession(random: Random, account: AccountRow): SessionRow {
  const at = Date.now() - random.between(20, 500) * 1000;
  return {
    ...demoSession(random, account, hosts.slice(0, 3), at),
    id: newSessionId(),
    cdp_id: newCdpId(),
  };
}

async function beat(db: Database, running: readonly SessionRow[]): Promise<void> {
  for (const [index, host] of hosts.entries()) {
    const used = running.filter((session) => session.host === host.name).length + index * 3;
    const row = {
      boot: 'demo',
      public_url: host.publicUrl,
      heartbeat_at: index === hosts.length - 1 ? Date.now() - 4 * 60_000 : Date.now(),
      region: host.region,
      seats: host.seats,
      used,
      chromium_version: chromiumVersion,
      service_version: '0.1.0',
    };
    await db
      .insertInto('hosts')
      .values({ name: host.name, ...row, state: index === 3 ? 'draining' : 'live', phase: 'up' })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
      .execute();
  }
}
