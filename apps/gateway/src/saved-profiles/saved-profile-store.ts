import type { ChosenProfile } from '@turnpike/contract/host';
import { maxSavedProfiles } from '@turnpike/contract/saved-profile';
import type { Transaction } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import { hasWriter, type SavedKind, savedKinds, writtenNames } from '../limits/profile-writer-store.ts';
import type { StartingCache } from '../seams/session-profiles.ts';
import type { Database } from '../store/database.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SavedProfileRow, SessionRow, Tables } from '../store/tables.ts';

/** What is saved under a name of an account. */
export interface SavedKey {
  kind: SavedKind;
  accountId: string;
  name: string;
}

export async function findSealed(
  db: Database,
  { kind, accountId, name }: SavedKey,
): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom(savedKinds[kind].table)
    .select('sealed')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.sealed;
}

/** The device of the sessions that saved a profile. */
export async function findDevice(db: Database, accountId: string, name: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('saved_profiles')
    .select('device')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.device ?? undefined;
}

/** Makes a session that is starting the one that saves a cache. False: another running session will. */
export function claimCache(db: Database, { sessionId, accountId, name }: StartingCache): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const isFree = !(await hasWriter(trx, 'cache', accountId, name));
    await trx
      .updateTable('sessions')
      .set({ cache_name: name, saves_cache: isFree ? 1 : 0 })
      .where('id', '=', sessionId)
      .where('state', '=', 'STARTING')
      .execute();
    return isFree;
  });
}

export type ListedProfile = Omit<SavedProfileRow, 'account_id' | 'sealed'> & { inUse: boolean };

export async function listSaved(db: Database, kind: SavedKind, accountId: string): Promise<ListedProfile[]> {
  const saved = await db
    .selectFrom(savedKinds[kind].table)
    .select(['name', 'bytes', 'updated_at'])
    .where('account_id', '=', accountId)
    .orderBy('name')
    .execute();
  const names = await writtenNames(db, kind, accountId);
  return saved.map((row) => ({ ...row, inUse: names.has(row.name) }));
}

/** The sealed archive, and its size before sealing. */
export type KeptArchive = Pick<SavedProfileRow, 'sealed' | 'bytes'>;

/** What a session left of each kind that it was to save, or why nothing was saved. */
export type Kept = Partial<Record<SavedKind, KeptArchive | { notSaved: string }>>;

/**
 * Stores what a session left, or why nothing was saved, and says so in the session's metadata. Only while the session
 * runs: until it ends no other session may save the same. Returns what was not saved and why.
 */
export function keepLeft(
  db: Database,
  session: SessionRow,
  kept: Kept,
  now: number,
): Promise<Partial<Record<SavedKind, string>>> {
  const kinds = Object.keys(kept) as SavedKind[];
  return db.transaction().execute(async (trx) => {
    // A write first, to take the lock.
    const running = await trx
      .updateTable('sessions')
      .set({ state: 'ACTIVE' })
      .where('id', '=', session.id)
      .where('state', '=', 'ACTIVE')
      .returning('metadata')
      .executeTakeFirst();
    if (!running) return Object.fromEntries(kinds.map((kind) => [kind, 'the session had ended']));
    const problems: Partial<Record<SavedKind, string>> = {};
    const outcome: Record<string, unknown> = {};
    for (const kind of kinds) {
      const left = kept[kind] ?? { notSaved: 'it was not saved' };
      const problem = 'notSaved' in left ? left.notSaved : await write(trx, kind, session, left, now);
      outcome[`${kind}Saved`] = problem === undefined;
      if (problem === undefined) continue;
      outcome[`${kind}Error`] = problem;
      problems[kind] = problem;
    }
    const metadata = withOutcome(running.metadata, outcome);
    await trx.updateTable('sessions').set({ metadata }).where('id', '=', session.id).execute();
    return problems;
  });
}

function withOutcome(metadata: string, outcome: object): string {
  const parsed = readStoredJson(metadata) as { turnpike?: object };
  return JSON.stringify({ ...parsed, turnpike: { ...parsed.turnpike, ...outcome } });
}

/** Writes what a session left. Returns why it cannot. */
async function write(
  trx: Transaction<Tables>,
  kind: SavedKind,
  session: SessionRow,
  { sealed, bytes }: KeptArchive,
  now: number,
): Promise<string | undefined> {
  const { account_id } = session;
  const { table, name: nameColumn } = savedKinds[kind];
  const name = session[nameColumn];
  if (name === null) return 'it has no name';
  await lockAccount(trx, account_id);
  const others = await trx
    .selectFrom(table)
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', account_id)
    .where('name', '!=', name)
    .executeTakeFirstOrThrow();
  if (others.count >= maxSavedProfiles) return `the account has ${maxSavedProfiles} others; delete one`;
  const content = { sealed, bytes, updated_at: now };
  await trx
    .insertInto(table)
    .values({ account_id, name, ...content })
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doUpdateSet(content))
    .execute();
  const device = kind === 'profile' ? deviceOf(session) : undefined;
  if (device !== undefined) {
    await trx
      .updateTable('saved_profiles')
      .set({ device })
      .where('account_id', '=', account_id)
      .where('name', '=', name)
      .execute();
  }
  return undefined;
}

/** What its host said of it; hosts of version 0.1.0 say nothing. */
function deviceOf({ params }: SessionRow): string | undefined {
  const { profile } = readStoredJson(params) as { profile?: Partial<ChosenProfile> };
  return profile?.device;
}

export type Deletion = 'deleted' | 'not-found' | 'in-use';

/** Deletes what is saved under a name, unless a running session will save it: it would come back. */
export function deleteSaved(db: Database, { kind, accountId, name }: SavedKey): Promise<Deletion> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    if (await hasWriter(trx, kind, accountId, name)) return 'in-use';
    const { numDeletedRows } = await trx
      .deleteFrom(savedKinds[kind].table)
      .where('account_id', '=', accountId)
      .where('name', '=', name)
      .executeTakeFirst();
    return numDeletedRows > 0n ? 'deleted' : 'not-found';
  });
}
