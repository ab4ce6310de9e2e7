import { randomBytes } from 'node:crypto';
import type { Role } from '@turnpike/contract/dashboard/people';
import type { Transaction } from 'kysely';
import { storeTimeIn } from '../store/clock/store-clock.ts';
import type { Database } from '../store/database.ts';
import type { UserRow } from '../store/tables/people-tables.ts';
import type { AccountRow, Tables } from '../store/tables.ts';

export function findUserByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
}

export function findUser(db: Database, id: string): Promise<UserRow | undefined> {
  return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the account that a user belongs to. Returns undefined if the user is an operator. */
export async function accountOfUser(
  db: Database,
  { account_id: id }: Pick<UserRow, 'account_id'>,
): Promise<AccountRow | undefined> {
  if (id === null) return undefined;
  return db.selectFrom('accounts').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds or creates the user with an address. Returns undefined if the address belongs to another role or account. */
export async function ensureUser(
  trx: Transaction<Tables>,
  { email, role, accountId }: { email: string; role: Role; accountId: string | null },
): Promise<UserRow | undefined> {
  const made = await trx
    .insertInto('users')
    .values({
      id: `usr_${randomBytes(12).toString('hex')}`,
      email,
      role,
      account_id: accountId,
      created_at: storeTimeIn(trx),
    })
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returningAll()
    .executeTakeFirst();
  const user = made ?? (await findUserByEmail(trx, email));
  return user?.role === role && user.account_id === accountId ? user : undefined;
}

/** Sets a password and signs all of the user's browsers out. False: `former` is no longer the password. */
export async function setPassword(
  trx: Transaction<Tables>,
  userId: string,
  hash: string,
  former?: string,
): Promise<boolean> {
  let update = trx.updateTable('users').set({ password_hash: hash }).where('id', '=', userId);
  if (former !== undefined) update = update.where('password_hash', '=', former);
  const { numUpdatedRows } = await update.executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await deleteUserSessions(trx, userId);
  return true;
}

/** Locks the user's row, as a change of password does. False: the password has changed. */
export async function noteSignIn(
  trx: Transaction<Tables>,
  userId: string,
  hash: string,
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('users')
    .set({ last_sign_in_at: now })
    .where('id', '=', userId)
    .where('password_hash', '=', hash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function listOperators(db: Database): Promise<UserRow[]> {
  return db
    .selectFrom('users')
    .selectAll()
    .where('role', '=', 'operator')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Locks all operators until the transaction ends. */
export function lockOperators(trx: Transaction<Tables>): Promise<UserRow[]> {
  return trx
    .updateTable('users')
    .set({ role: 'operator' })
    .where('role', '=', 'operator')
    .returningAll()
    .execute();
}

export async function deleteOperator(trx: Transaction<Tables>, id: string): Promise<void> {
  await trx.deleteFrom('users').where('id', '=', id).where('role', '=', 'operator').execute();
}

export interface SignedIn {
  user: UserRow;
  account: AccountRow | undefined;
}

export interface SessionTimes {
  /** Only sessions that were used, and created, since these times. */
  seenSince: number;
  madeSince: number;
}

/** Finds the user of a browser session, while it is valid. */
export async function findSignedIn(
  db: Database,
  tokenHash: string,
  { seenSince, madeSince }: SessionTimes,
): Promise<(SignedIn & { seenAt: number }) | undefined> {
  const session = await db
    .selectFrom('user_sessions')
    .innerJoin('users', 'users.id', 'user_sessions.user_id')
    .selectAll('users')
    .select('user_sessions.seen_at')
    .where('user_sessions.token_hash', '=', tokenHash)
    .where('user_sessions.seen_at', '>', seenSince)
    .where('user_sessions.created_at', '>', madeSince)
    .executeTakeFirst();
  if (!session) return undefined;
  const { seen_at: seenAt, ...user } = session;
  const account = await accountOfUser(db, user);
  return { user, account, seenAt };
}

export async function touchUserSession(db: Database, tokenHash: string, now: number): Promise<void> {
  await db.updateTable('user_sessions').set({ seen_at: now }).where('token_hash', '=', tokenHash).execute();
}

export async function insertUserSession(
  trx: Transaction<Tables>,
  { userId, tokenHash, now }: { userId: string; tokenHash: string; now: number },
): Promise<void> {
  await trx
    .insertInto('user_sessions')
    .values({ token_hash: tokenHash, user_id: userId, created_at: now, seen_at: now })
    .execute();
}

/** Deletes browser sessions of the user that are no longer valid. */
export async function forgetUserSessions(
  trx: Transaction<Tables>,
  userId: string,
  { seenSince, madeSince }: SessionTimes,
): Promise<void> {
  await trx
    .deleteFrom('user_sessions')
    .where('user_id', '=', userId)
    .where((e) => e.or([e('seen_at', '<=', seenSince), e('created_at', '<=', madeSince)]))
    .execute();
}

export async function deleteUserSession(db: Database, tokenHash: string): Promise<void> {
  await db.deleteFrom('user_sessions').where('token_hash', '=', tokenHash).execute();
}

export async function deleteUserSessions(db: Database, userId: string): Promise<void> {
  await db.deleteFrom('user_sessions').where('user_id', '=', userId).execute();
}
