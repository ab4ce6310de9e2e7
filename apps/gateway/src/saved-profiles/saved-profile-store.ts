import { maxSavedProfiles } from '@turnpike/contract/saved-profile';
import type { Transaction } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import { hasWriter, writtenProfiles } from '../limits/profile-writer-store.ts';
import type { Database } from '../store/database.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SavedProfileRow, SessionRow, Tables } from '../store/tables.ts';

export async function findSealedProfile(
  db: Database,
  accountId: string,
  name: string,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom('saved_profiles')
    .select('sealed')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.sealed;
}

export type ListedProfile = Omit<SavedProfileRow, 'account_id' | 'sealed'> & { inUse: boolean };

export async function listProfiles(db: Database, accountId: string): Promise<ListedProfile[]> {
  const profiles = await db
    .selectFrom('saved_profiles')
    .select(['name', 'bytes', 'updated_at'])
    .where('account_id', '=', accountId)
    .orderBy('name')
    .execute();
  const written = await writtenProfiles(db, accountId).execute();
  const names = new Set(written.map(({ profile_name }) => profile_name));
  return profiles.map((profile) => ({ ...profile, inUse: names.has(profile.name) }));
}

/** The sealed profile, and its size before sealing. */
export type KeptProfile = Pick<SavedProfileRow, 'sealed' | 'bytes'>;

/**
 * Stores what a session left, or why nothing was saved, and says so in the session's metadata. Only while the session
 * runs: until it ends no other session may save the profile. Returns why it was not saved.
 */
export function keepProfile(
  db: Database,
  session: SessionRow,
  left: KeptProfile | { notSaved: string },
  now: number,
): Promise<string | undefined> {
  return db.transaction().execute(async (trx) => {
    // A write first, to take the lock.
    const running = await trx
      .updateTable('sessions')
      .set({ state: 'ACTIVE' })
      .where('id', '=', session.id)
      .where('state', '=', 'ACTIVE')
      .returning('metadata')
      .executeTakeFirst();
    if (!running) return 'the session had ended';
    const problem = 'notSaved' in left ? left.notSaved : await writeProfile(trx, session, left, now);
    const metadata = withOutcome(running.metadata, problem);
    await trx.updateTable('sessions').set({ metadata }).where('id', '=', session.id).execute();
    return problem;
  });
}

function withOutcome(metadata: string, problem: string | undefined): string {
  const parsed = readStoredJson(metadata) as { turnpike?: object };
  const outcome =
    problem === undefined ? { profileSaved: true } : { profileSaved: false, profileError: problem };
  return JSON.stringify({ ...parsed, turnpike: { ...parsed.turnpike, ...outcome } });
}

/** Writes the profile. Returns why it cannot. */
async function writeProfile(
  trx: Transaction<Tables>,
  { account_id, profile_name: name }: SessionRow,
  { sealed, bytes }: KeptProfile,
  now: number,
): Promise<string | undefined> {
  if (name === null) return 'it has no name';
  await lockAccount(trx, account_id);
  const others = await trx
    .selectFrom('saved_profiles')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', account_id)
    .where('name', '!=', name)
    .executeTakeFirstOrThrow();
  if (others.count >= maxSavedProfiles) return `the account has ${maxSavedProfiles} others; delete one`;
  const content = { sealed, bytes, updated_at: now };
  await trx
    .insertInto('saved_profiles')
    .values({ account_id, name, ...content })
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(content))
    .execute();
  return undefined;
}

export type Deletion = 'deleted' | 'not-found' | 'in-use';

/** Deletes a profile, unless a running session will save it: it would come back. */
export function deleteProfile(db: Database, accountId: string, name: string): Promise<Deletion> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    if (await hasWriter(trx, accountId, name)) return 'in-use';
    const { numDeletedRows } = await trx
      .deleteFrom('saved_profiles')
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .executeTakeFirst();
    return numDeletedRows > 0n ? 'deleted' : 'not-found';
  });
}
