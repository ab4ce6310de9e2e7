import type { Selectable } from 'kysely';
import { storeTimeIn } from '../store/clock/store-clock.ts';
import type { Database } from '../store/database.ts';
import type { OperatorTokenTable } from '../store/tables/people-tables.ts';

export type OperatorToken = Selectable<OperatorTokenTable>;

export function findOperatorToken(db: Database, tokenHash: string): Promise<OperatorToken | undefined> {
  return db.selectFrom('operator_tokens').selectAll().where('token_hash', '=', tokenHash).executeTakeFirst();
}

export function listOperatorTokens(db: Database): Promise<OperatorToken[]> {
  return db.selectFrom('operator_tokens').selectAll().orderBy('created_at').orderBy('id').execute();
}

export async function insertOperatorToken(
  db: Database,
  token: Omit<OperatorToken, 'created_at'>,
): Promise<void> {
  await db
    .insertInto('operator_tokens')
    .values({ ...token, created_at: storeTimeIn(db) })
    .execute();
}

/** Deletes a token. Returns undefined if there was none. */
export function deleteOperatorToken(db: Database, id: string): Promise<OperatorToken | undefined> {
  return db.deleteFrom('operator_tokens').where('id', '=', id).returningAll().executeTakeFirst();
}
