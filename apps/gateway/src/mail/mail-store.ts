import { sql } from 'kysely';
import { newMailId } from '../secrets/new-ids.ts';
import type { Database } from '../store/database.ts';
import type { MailKind, MailRow } from '../store/tables/mail-tables.ts';

/** More e-mails than this wait only if the server is away, or somebody floods it. */
export const maxPendingMails = 10_000;

export interface NewMail {
  kind: MailKind;
  recipient: string;
  data: object;
  now: number;
  /** After this time nobody needs it any more. */
  giveUpAt: number;
}

/** Queues an e-mail. False: too many are waiting. */
export async function queueMail(
  db: Database,
  { kind, recipient, data, now, giveUpAt }: NewMail,
): Promise<boolean> {
  const { rows } = await sql`
    insert into mails (id, kind, recipient, data, next_at, give_up_at)
    select ${newMailId()}, ${kind}, ${recipient}, ${JSON.stringify(data)},
      cast(${now} as bigint), cast(${giveUpAt} as bigint)
    where (select count(*) from mails) < ${sql.lit(maxPendingMails)}
    returning id
  `.execute(db);
  return rows.length > 0;
}

/** Lists ids of e-mails that are due, longest waiting first. */
export async function dueMails(db: Database, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('mails')
    .select('id')
    .where('next_at', '<=', now)
    .where('claimed_until', '<=', now)
    .orderBy('next_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Claims an e-mail. The condition is on the row that is written, so two gateways never claim the same one. */
export function claimMail(
  db: Database,
  id: string,
  { now, until }: { now: number; until: number },
): Promise<MailRow | undefined> {
  return db
    .updateTable('mails')
    .set((e) => ({ claimed_until: until, attempts: e('attempts', '+', 1) }))
    .where('id', '=', id)
    .where('claimed_until', '<=', now)
    .returningAll()
    .executeTakeFirst();
}

/** Deletes an e-mail that was sent or given up, if the claim is still ours. */
export async function deleteMail(db: Database, { id, claimed_until }: MailRow): Promise<void> {
  await db.deleteFrom('mails').where('id', '=', id).where('claimed_until', '=', claimed_until).execute();
}

/** Puts an e-mail back until its next attempt, if the claim is still ours. */
export async function postponeMail(
  db: Database,
  { id, claimed_until }: MailRow,
  nextAt: number,
): Promise<void> {
  await db
    .updateTable('mails')
    .set({ claimed_until: 0, next_at: nextAt })
    .where('id', '=', id)
    .where('claimed_until', '=', claimed_until)
    .execute();
}
