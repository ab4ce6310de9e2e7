import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { EventType } from '@turnpike/contract/events';
import { sql, type Transaction } from 'kysely';
import { newEventId } from '../secrets/new-ids.ts';
import type { Database } from '../store/database.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { EventRow } from '../store/tables/event-tables.ts';
import type { Tables } from '../store/tables.ts';

export interface NewEvent {
  accountId: string;
  type: EventType;
  sessionId: string | null;
  at: number;
  data: object;
}

/**
 * Writes an event and its deliveries, in the transaction of the change that it is about. Its number is taken under the
 * account's row lock: a reader that has seen one number has seen all before it.
 */
export async function recordEvent(trx: Transaction<Tables>, event: NewEvent): Promise<void> {
  const { event_seq: seq } = await trx
    .updateTable('accounts')
    .set((e) => ({ event_seq: e('event_seq', '+', 1) }))
    .where('id', '=', event.accountId)
    .returning('event_seq')
    .executeTakeFirstOrThrow();
  await trx
    .insertInto('events')
    .values({
      account_id: event.accountId,
      seq,
      id: newEventId(),
      type: event.type,
      session_id: event.sessionId,
      at: event.at,
      data: JSON.stringify(event.data),
    })
    .execute();
  const webhooks = await trx
    .selectFrom('webhooks')
    .select(['id', 'event_types'])
    .where('account_id', '=', event.accountId)
    .where('status', '=', 'enabled')
    .execute();
  const wanting = webhooks.filter(({ event_types }) => wants(readStoredJson(event_types), event.type));
  if (wanting.length === 0) return;
  await trx
    .insertInto('webhook_deliveries')
    .values(
      wanting.map(({ id }) => ({
        webhook_id: id,
        account_id: event.accountId,
        seq,
        session_id: event.sessionId ?? '',
        state: 'pending' as const,
        next_at: event.at,
      })),
    )
    .execute();
}

function wants(types: EventType[], type: EventType): boolean {
  return types.length === 0 || types.includes(type);
}

export function eventsAfter(
  db: Database,
  accountId: string,
  seq: number,
  limit: number,
): Promise<EventRow[]> {
  return db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

export interface EventFilter {
  accountId: string;
  type?: EventType;
  sessionId?: string;
  /** Only events with a lower number. */
  before: number;
  limit: number;
}

/** How many events one search looks at, so that a filter that matches nothing stays quick. */
const searchedAtATime = 5000;

/** Lists an account's events, newest first, and the number to go on before; undefined if there are no more. */
export async function listEvents(
  db: Database,
  { accountId, type, sessionId, before, limit }: EventFilter,
): Promise<{ rows: EventRow[]; next: number | undefined }> {
  const after = before - searchedAtATime;
  let query = db
    .selectFrom('events')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('seq', '<', before)
    .where('seq', '>=', after);
  if (type) query = query.where('type', '=', type);
  if (sessionId !== undefined) query = query.where('session_id', '=', sessionId);
  const rows = await query
    .orderBy('seq', 'desc')
    .limit(limit + 1)
    .execute();
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.seq };
  const older = await db
    .selectFrom('events')
    .select('seq')
    .where('account_id', '=', accountId)
    .where('seq', '<', after)
    .limit(1)
    .executeTakeFirst();
  return { rows, next: older && after };
}

/** Reads the last event number of accounts, and whether their keys are still valid. */
export function eventPositions(db: Database, accountIds: readonly string[]) {
  return db
    .selectFrom('accounts')
    .select(['id', 'event_seq', 'key_hash', 'status'])
    .where('id', 'in', accountIds)
    .execute();
}

/** Rows per statement. Their deliveries are deleted with them, and SQLite answers nothing else meanwhile. */
const prunedAtATime = 200;

export async function pruneEvents(db: Database, before: number): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      delete from events where id in (
        select id from events where at < ${before} order by at limit ${sql.lit(prunedAtATime)}
      ) returning id
    `.execute(db);
    if (rows.length < prunedAtATime) return;
    await yieldToEventLoop();
  }
}
