import type { Usage } from '@turnpike/contract/account';
import { type Insertable, sql } from 'kysely';
import type { Slots } from '../limits/slots.ts';
import { batched } from '../store/batched.ts';
import { storeTimeIn } from '../store/clock/store-clock.ts';
import type { Database } from '../store/database.ts';
import { jsonTable } from '../store/json-rows.ts';
import { preparedQuery } from '../store/prepared-query.ts';
import { isRunning } from '../store/session-states.ts';
import type { AccountRow, AccountTable } from '../store/tables.ts';

export type UsageTotals = Omit<Usage['totals'], 'browserSeconds' | 'remainingSeconds'>;

const accountColumns = [
  'id',
  'email',
  'name',
  'status',
  'created_at',
  'key_hash',
  'concurrent_limit',
  'browser_seconds_cap',
  'creates_per_minute',
  'browser_seconds',
  'create_seq',
  'stats_token_hash',
  'stats_token_sealed',
  'proxy_user',
  'proxy_password_hash',
  'proxy_password_sealed',
  'stats_seq',
  'event_seq',
  'page_calls',
  'default_proxy',
] as const satisfies readonly (keyof AccountTable)[];

const accountsByKeyHash = preparedQuery<AccountRow>((db, parameter) =>
  db
    .selectFrom('accounts')
    .select(accountColumns)
    .where('key_hash', 'in', listed(db, parameter(0))),
);

export const findAccountByKeyHash = batched(async (db, keyHashes: readonly string[]) =>
  byKeyHash(keyHashes, await accountsByKeyHash(db, asRows(keyHashes))),
);

/** The columns of an account that decide about its slots. */
export type SlotsRow = Pick<AccountRow, 'id' | 'key_hash' | 'status' | 'concurrent_limit'> & Slots;

const slotsByKeyHash = preparedQuery<SlotsRow>((db, parameter) => {
  const running = sql`select count(*) from sessions where account_id = a.id and ${isRunning}`;
  return sql`
    select id, key_hash, status, concurrent_limit,
      (${running} and state = 'ACTIVE') as active, (${running} and state = 'STARTING') as starting
    from accounts as a where key_hash in ${listed(db, parameter(0))}`;
});

/** Authenticates and counts the slots in one statement. */
export const findSlotsByKeyHash = batched(async (db, keyHashes: readonly string[]) =>
  byKeyHash(keyHashes, await slotsByKeyHash(db, asRows(keyHashes))),
);

const asRows = (keys: readonly string[]): string => JSON.stringify([...new Set(keys)].map((key) => [key]));

const listed = (db: Database, rows: string) => sql<string>`(select c0 from ${jsonTable(db, rows, 1)})`;

function byKeyHash<Row extends { key_hash: string }>(
  keyHashes: readonly string[],
  rows: readonly Row[],
): (Row | undefined)[] {
  const found = new Map(rows.map((row) => [row.key_hash, row]));
  return keyHashes.map((keyHash) => found.get(keyHash));
}

export function findAccountById(db: Database, id: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

export function findAccountByEmail(db: Database, email: string): Promise<AccountRow | undefined> {
  return db.selectFrom('accounts').selectAll().where('email', '=', email).executeTakeFirst();
}

export async function emailsOf(db: Database, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('accounts')
    .select(['id', 'email'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  return new Map(rows.map(({ id, email }) => [id, email]));
}

export function listAccounts(db: Database): Promise<AccountRow[]> {
  return db.selectFrom('accounts').selectAll().orderBy('created_at').orderBy('id').execute();
}

/** Inserts an account. Returns undefined if the e-mail address is taken. */
export function insertAccount(
  db: Database,
  account: Omit<Insertable<AccountTable>, 'created_at'>,
): Promise<AccountRow | undefined> {
  return db
    .insertInto('accounts')
    .values({ ...account, created_at: storeTimeIn(db) })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
}

export type AccountChange = Partial<
  Omit<AccountRow, 'id' | 'email' | 'created_at' | 'browser_seconds' | 'create_seq' | 'stats_seq'>
>;

export function updateAccount(
  db: Database,
  email: string,
  change: AccountChange,
): Promise<AccountRow | undefined> {
  return db.updateTable('accounts').set(change).where('email', '=', email).returningAll().executeTakeFirst();
}

/** Replaces a key. Of two rotations of the same key one wins. False: the old key was replaced before. */
export async function replaceKeyHash(db: Database, oldHash: string, newHash: string): Promise<boolean> {
  const result = await db
    .updateTable('accounts')
    .set({ key_hash: newHash })
    .where('key_hash', '=', oldHash)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function usageTotals(db: Database, accountId: string): Promise<UsageTotals> {
  const row = await db
    .selectFrom('usage_days')
    .select((e) => [
      e.fn.sum<number | null>('sessions').as('sessions'),
      e.fn.sum<number | null>('bytes_up').as('bytesUp'),
      e.fn.sum<number | null>('bytes_down').as('bytesDown'),
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  // PostgreSQL sums bigints to a numeric, which arrives as text.
  return {
    sessions: Number(row.sessions ?? 0),
    bytesUp: Number(row.bytesUp ?? 0),
    bytesDown: Number(row.bytesDown ?? 0),
  };
}

/** Lists the days from `firstDay` on on which a session ended, oldest first. */
export function usageDays(db: Database, accountId: string, firstDay: string): Promise<Usage['days']> {
  return db
    .selectFrom('usage_days')
    .select([
      'day as date',
      'sessions',
      'browser_seconds as browserSeconds',
      'bytes_up as bytesUp',
      'bytes_down as bytesDown',
    ])
    .where('account_id', '=', accountId)
    .where('day', '>=', firstDay)
    .orderBy('day')
    .execute();
}
