import type { AccountStatus } from '@turnpike/contract/account';
import { type Product, products } from '@turnpike/contract/bandwidth';
import { utcDay, windowStart } from '@turnpike/contract/calendar';
import { sql } from 'kysely';
import { containing } from '../store/containing.ts';
import type { Database } from '../store/database.ts';
import { isActive, isRunning } from '../store/session-states.ts';
import type { AccountRow } from '../store/tables.ts';
import { behind, type PageRequest } from '../store/time-page.ts';

export interface AccountFilter extends PageRequest {
  text?: string;
  status?: AccountStatus;
}

/** Finds accounts, newest first. */
export function searchAccounts(
  db: Database,
  { text, status, after, limit }: AccountFilter,
): Promise<AccountRow[]> {
  let query = db.selectFrom('accounts').selectAll();
  if (status) query = query.where('status', '=', status);
  if (text) query = query.where(containing(['id', 'email', 'name'], text));
  if (after) query = query.where(behind('created_at', 'id', after));
  return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** What an operator sees of an account besides its own row. */
export interface AccountFacts {
  running: number;
  hasPassword: boolean;
  lastSignInAt: number | null;
  invitedUntil: number | null;
}

export async function accountFacts(
  db: Database,
  accountIds: readonly string[],
  now: number,
): Promise<(accountId: string) => AccountFacts> {
  if (accountIds.length === 0) return () => unknown;
  const [running, users] = await Promise.all([
    db
      .selectFrom('sessions')
      .select(['account_id', (e) => e.fn.countAll<number>().as('count')])
      .where('account_id', 'in', accountIds)
      .where(isRunning)
      .where(isActive)
      .groupBy('account_id')
      .execute(),
    db
      .selectFrom('users')
      .leftJoin('user_links', 'user_links.user_id', 'users.id')
      .select(['account_id', 'password_hash', 'last_sign_in_at', 'user_links.expires_at'])
      .where('account_id', 'in', accountIds)
      .execute(),
  ]);
  return (accountId) => {
    const user = users.find(({ account_id }) => account_id === accountId);
    const invitedUntil = user?.expires_at ?? null;
    return {
      running: running.find(({ account_id }) => account_id === accountId)?.count ?? 0,
      hasPassword: Boolean(user?.password_hash),
      lastSignInAt: user?.last_sign_in_at ?? null,
      invitedUntil: invitedUntil !== null && invitedUntil > now ? invitedUntil : null,
    };
  };
}

const unknown: AccountFacts = { running: 0, hasPassword: false, lastSignInAt: null, invitedUntil: null };

/** Counts accounts by status. */
export async function countAccounts(db: Database): Promise<Record<AccountStatus, number>> {
  const rows = await db
    .selectFrom('accounts')
    .select(['status', (e) => e.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  const count = (status: AccountStatus) => rows.find((row) => row.status === status)?.count ?? 0;
  return { active: count('active'), suspended: count('suspended') };
}

export async function countRunning(db: Database): Promise<{ running: number; starting: number }> {
  const rows = await db
    .selectFrom('sessions')
    .select(['state', (e) => e.fn.countAll<number>().as('count')])
    .where(isRunning)
    .groupBy('state')
    .execute();
  const count = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { running: count('ACTIVE'), starting: count('STARTING') };
}

/** Sessions of all accounts that started in a span of time. */
export async function sessionsStartedBetween(
  db: Database,
  from: number,
  to: number,
): Promise<{ started: number; lost: number; browserSeconds: number }> {
  const row = await db
    .selectFrom('sessions')
    .select([
      (e) => e.fn.countAll<number>().as('started'),
      // A browser that its client closed is DEAD by the contract, but nothing was lost.
      sql<number>`coalesce(sum(case when state = 'DEAD' and coalesce(end_reason, '') <> 'browser_closed' then 1 else 0 end), 0)`.as(
        'lost',
      ),
      sql<number>`coalesce(sum(billed_seconds), 0)`.as('seconds'),
    ])
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('state', '!=', 'STARTING')
    .executeTakeFirstOrThrow();
  return { started: Number(row.started), lost: Number(row.lost), browserSeconds: Number(row.seconds) };
}

export interface ProductTotals {
  product: Product;
  todayBytes: number;
  windowBytes: number;
  accounts: number;
}

/** Sums bandwidth over all accounts and the last 30 days. */
export async function productTotals(db: Database, now: number): Promise<ProductTotals[]> {
  const today = utcDay(now);
  const rows = await db
    .selectFrom('bandwidth_days')
    .select([
      'product',
      // As fractions: exact sums may exceed what SQLite can add, and the page does not show that many digits.
      sql<number>`coalesce(sum(case when day = ${today} then bytes else 0 end * 1.0), 0)`.as('today'),
      sql<number>`coalesce(sum(bytes * 1.0), 0)`.as('total'),
      sql<number>`count(distinct account_id)`.as('accounts'),
    ])
    .where('day', '>=', windowStart(now, 30))
    .groupBy('product')
    .execute();
  return products.map((product) => {
    const row = rows.find((candidate) => candidate.product === product);
    return {
      product,
      todayBytes: Number(row?.today ?? 0),
      windowBytes: Number(row?.total ?? 0),
      accounts: Number(row?.accounts ?? 0),
    };
  });
}

export function listMeters(db: Database): Promise<{ source: string; reported_at: number }[]> {
  return db
    .selectFrom('meter_sources')
    .select(['source', 'reported_at'])
    .orderBy('reported_at', 'desc')
    .limit(50)
    .execute();
}
