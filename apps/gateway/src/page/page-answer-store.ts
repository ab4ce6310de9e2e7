import type { Claim } from '../creates/idempotency.ts';
import type { Database } from '../store/database.ts';
import type { PageAnswerRow } from '../store/tables.ts';

/** Answers that an account may repeat. */
const maxAnswers = 100;

/** Finds the answer to the call that had the same Idempotency-Key and the same parameters. */
export function findPageAnswer(db: Database, claim: Claim): Promise<PageAnswerRow | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .innerJoin('page_answers', 'page_answers.session_id', 'idempotency_keys.session_id')
    .selectAll('page_answers')
    .where('idempotency_keys.account_id', '=', claim.accountId)
    .where('idempotency_keys.key_hash', '=', claim.keyHash)
    .where('idempotency_keys.params_hash', '=', claim.paramsHash)
    .executeTakeFirst();
}

/** Keeps an answer, and forgets the account's oldest beyond the limit. */
export async function keepPageAnswer(db: Database, row: PageAnswerRow): Promise<void> {
  await db
    .insertInto('page_answers')
    .values(row)
    .onConflict((conflict) => conflict.column('session_id').doNothing())
    .execute();
  await db
    .deleteFrom('page_answers')
    .where('account_id', '=', row.account_id)
    .where('session_id', 'not in', (e) =>
      e
        .selectFrom('page_answers')
        .select('session_id')
        .where('account_id', '=', row.account_id)
        .orderBy('created_at', 'desc')
        .limit(maxAnswers),
    )
    .execute();
}

export async function prunePageAnswers(db: Database, before: number): Promise<void> {
  await db.deleteFrom('page_answers').where('created_at', '<=', before).execute();
}
