import type { Selectable, Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { UserLinkTable } from '../store/tables/people-tables.ts';
import type { Tables } from '../store/tables.ts';

export type UserLink = Selectable<UserLinkTable>;

/** Stores a user's link. A user has one at a time: a new one replaces the old. */
export async function replaceLink(trx: Transaction<Tables>, link: UserLink): Promise<void> {
  const { token_hash, kind, expires_at } = link;
  await trx
    .insertInto('user_links')
    .values(link)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ token_hash, kind, expires_at }))
    .execute();
}

export function findLink(db: Database, tokenHash: string, now: number): Promise<UserLink | undefined> {
  return db
    .selectFrom('user_links')
    .selectAll()
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Uses up a link. Of any number of attempts one succeeds. */
export function takeLink(
  trx: Transaction<Tables>,
  tokenHash: string,
  now: number,
): Promise<UserLink | undefined> {
  return trx
    .deleteFrom('user_links')
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .returningAll()
    .executeTakeFirst();
}
