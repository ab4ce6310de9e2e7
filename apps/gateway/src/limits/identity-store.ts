import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';

/**
 * Sessions that begin with a snapshot are of the same identity as the session that it was taken of: sites see one
 * person. Of an identity one session runs at a time, unless a create says otherwise.
 */

/** The identity of a snapshot; undefined if the account has none with that id, or it has expired. */
export async function snapshotIdentity(
  db: Database,
  { accountId, id, now }: { accountId: string; id: string; now: number },
): Promise<string | undefined> {
  const row = await db
    .selectFrom('snapshots')
    .select('identity')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row?.identity;
}

/** The identities of running and starting sessions. Call it under the account's lock to decide by it. */
export async function runningIdentities(db: Database, accountId: string): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('sessions')
    .select((e) => e.fn.coalesce('identity', 'id').as('identity'))
    .where('account_id', '=', accountId)
    .where(isRunning)
    .execute();
  return new Set(rows.map(({ identity }) => identity));
}
