import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { EventType } from '@turnpike/contract/events';
import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { EventRow, WebhookRow } from '../store/tables/event-tables.ts';

/** The most deliveries that one webhook may have pending, however often it replays. */
export const maxPendingPerWebhook = 10_000;
/** Events that one replay looks at. The rest takes another replay. */
const maxLookedAt = 100_000;
/** Events per statement. SQLite answers nothing else meanwhile: this takes it a few milliseconds. */
const batchSize = 500;

export interface Replay {
  replayed: number;
  /** Where the next replay continues, if this one stopped before the end. */
  nextSince?: number;
}

type ReplayedEvent = Pick<EventRow, 'seq' | 'session_id' | 'type' | 'at'>;

/**
 * Sends events again, also those that the webhook missed: one event, or all since a time. Pending deliveries stay as
 * they are.
 */
export async function replayDeliveries(
  db: Database,
  webhook: WebhookRow,
  which: { eventId: string } | { since: number },
  now: number,
): Promise<Replay> {
  if (!('eventId' in which)) return replaySince(db, webhook, which.since, now);
  const events = await db
    .selectFrom('events')
    .select(['seq', 'session_id', 'type', 'at'])
    .where('account_id', '=', webhook.account_id)
    .where('id', '=', which.eventId)
    .execute();
  return { replayed: await sendAgain(db, webhook, events, now) };
}

/** Replays in batches of one statement each, with other work in between. */
async function replaySince(db: Database, webhook: WebhookRow, since: number, now: number): Promise<Replay> {
  let free = maxPendingPerWebhook - (await countPending(db, webhook.id));
  let last = { at: since, seq: -1 };
  let replayed = 0;
  for (let lookedAt = 0; ; lookedAt += batchSize) {
    const events = await eventsBehind(db, webhook.account_id, last);
    if (events.length === 0) return { replayed };
    if (free <= 0 || lookedAt >= maxLookedAt) return { replayed, nextSince: events[0]?.at ?? last.at };
    // The next replay takes the events that no longer fit.
    const taken = events.slice(0, free);
    const count = await sendAgain(db, webhook, taken, now);
    replayed += count;
    free -= count;
    last = taken.at(-1) ?? last;
    if (taken.length === events.length && events.length < batchSize) return { replayed };
    await yieldToEventLoop();
  }
}

async function countPending(db: Database, webhookId: string): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_deliveries')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhookId)
    .where(sql<boolean>`state = 'pending'`)
    .executeTakeFirstOrThrow();
  return count;
}

function eventsBehind(
  db: Database,
  accountId: string,
  { at, seq }: { at: number; seq: number },
): Promise<ReplayedEvent[]> {
  return db
    .selectFrom('events')
    .select(['seq', 'session_id', 'type', 'at'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`(at, seq) > (${at}, ${seq})`)
    .orderBy('at')
    .orderBy('seq')
    .limit(batchSize)
    .execute();
}

/** Marks events as pending. Returns how many; those that were pruned meanwhile do not count. */
async function sendAgain(
  db: Database,
  webhook: WebhookRow,
  events: readonly ReplayedEvent[],
  now: number,
): Promise<number> {
  const types = readStoredJson(webhook.event_types) as EventType[];
  const wanted = events.filter(({ type }) => types.length === 0 || types.includes(type));
  if (wanted.length === 0) return 0;
  const rows = wanted.map(({ seq, session_id }) => [`${seq}`, session_id ?? '']);
  const { rows: sent } = await sql`
    insert into webhook_deliveries (webhook_id, account_id, seq, session_id, state, next_at)
    select ${webhook.id}, ${webhook.account_id}, cast(c0 as bigint), c1, 'pending', cast(${now} as bigint)
    from ${jsonRows(db, rows, 2)}
    where exists (select 1 from events where account_id = ${webhook.account_id} and seq = cast(c0 as bigint))
    on conflict (webhook_id, seq) do update set state = 'pending', next_at = excluded.next_at, attempts = 0, last_error = null
      where webhook_deliveries.state <> 'pending'
    returning seq
  `.execute(db);
  return sent.length;
}
