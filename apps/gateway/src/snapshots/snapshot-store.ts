import { maxSnapshots } from '@turnpike/contract/saved-profile';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { Database } from '../store/database.ts';
import type { SnapshotRow } from '../store/tables.ts';

export type ListedSnapshot = Omit<SnapshotRow, 'sealed' | 'params'>;

const listed = [
  'id',
  'account_id',
  'session_id',
  'identity',
  'name',
  'bytes',
  'tabs',
  'lost',
  'created_at',
  'expires_at',
] as const satisfies readonly (keyof ListedSnapshot)[];

export function listSnapshots(db: Database, accountId: string, now: number): Promise<ListedSnapshot[]> {
  return db
    .selectFrom('snapshots')
    .select(listed)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export interface SnapshotKey {
  accountId: string;
  id: string;
  now: number;
}

export function findSnapshot(
  db: Database,
  { accountId, id, now }: SnapshotKey,
): Promise<ListedSnapshot | undefined> {
  return db
    .selectFrom('snapshots')
    .select(listed)
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

export function findSealedSnapshot(
  db: Database,
  { accountId, id, now }: SnapshotKey,
): Promise<Pick<SnapshotRow, 'sealed' | 'params'> | undefined> {
  return db
    .selectFrom('snapshots')
    .select(['sealed', 'params'])
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Keeps a snapshot. False: the account has as many as it may have. */
export function keepSnapshot(db: Database, row: SnapshotRow): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, row.account_id);
    const kept = await trx
      .selectFrom('snapshots')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('account_id', '=', row.account_id)
      .where('expires_at', '>', row.created_at)
      .executeTakeFirstOrThrow();
    if (Number(kept.count) >= maxSnapshots) return false;
    await trx.insertInto('snapshots').values(row).execute();
    return true;
  });
}

/** False: there is none. Sessions that began with it go on. */
export async function deleteSnapshot(db: Database, accountId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('snapshots')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function pruneSnapshots(db: Database, now: number): Promise<void> {
  await db.deleteFrom('snapshots').where('expires_at', '<=', now).execute();
}
