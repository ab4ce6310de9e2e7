import { snapshotIdPattern } from '@turnpike/contract/ids';
import type { Snapshot } from '@turnpike/contract/saved-profile';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import { runningIdentities } from '../limits/identity-store.ts';
import type { Context } from '../seams/context.ts';
import { readStoredJson } from '../store/stored-json.ts';
import { deleteSnapshot, findSnapshot, type ListedSnapshot, listSnapshots } from './snapshot-store.ts';

/** An account's operations on its snapshots. */

export async function listOwn({ db, now }: Context, accountId: string): Promise<Snapshot[]> {
  const rows = await listSnapshots(db, accountId, now());
  const running = await runningIdentities(db, accountId);
  return rows.map((row) => presentSnapshot(row, running));
}

export async function findOwn({ db, now }: Context, accountId: string, id: string): Promise<Snapshot> {
  const isId = snapshotIdPattern.test(id);
  const row = isId ? await findSnapshot(db, { accountId, id, now: now() }) : undefined;
  if (!row) throw new ApiError('notFound');
  return presentSnapshot(row, await runningIdentities(db, accountId));
}

export async function deleteOwn({ db }: Context, accountId: string, id: string): Promise<void> {
  const isDeleted = snapshotIdPattern.test(id) && (await deleteSnapshot(db, accountId, id));
  if (!isDeleted) throw new ApiError('notFound');
}

export function presentSnapshot(row: ListedSnapshot, running: ReadonlySet<string>): Snapshot {
  return {
    snapshot: row.id,
    browserId: row.session_id,
    name: row.name,
    bytes: row.bytes,
    tabs: row.tabs,
    lost: readStoredJson(row.lost),
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at),
    inUse: running.has(row.identity),
  };
}
