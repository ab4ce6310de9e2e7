import type { EventType } from '@turnpike/contract/events';
import type { Database } from '../store/database.ts';
import type { EventRow, WebhookDeliveryRow, WebhookRow } from '../store/tables.ts';

const maxWebhooks = 10;

/** False: the account has as many as it may. Decided under the account's row lock. */
export function insertWebhook(db: Database, webhook: WebhookRow): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await trx
      .updateTable('accounts')
      .set((e) => ({ event_seq: e.ref('event_seq') }))
      .where('id', '=', webhook.account_id)
      .execute();
    const { count } = await trx
      .selectFrom('webhooks')
      .select((e) => e.fn.countAll<number>().as('count'))
      .where('account_id', '=', webhook.account_id)
      .executeTakeFirstOrThrow();
    if (count >= maxWebhooks) return false;
    await trx.insertInto('webhooks').values(webhook).execute();
    return true;
  });
}

export function listWebhooks(db: Database, accountId: string): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findWebhook(db: Database, accountId: string, id: string): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/** Its deliveries go with it. False: there is no such webhook. */
export async function deleteWebhook(db: Database, accountId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** The receiver is gone for good: nothing more is sent to it. */
export async function disableWebhook(db: Database, id: string): Promise<void> {
  await db.updateTable('webhooks').set({ status: 'disabled' }).where('id', '=', id).execute();
  await db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed' })
    .where('webhook_id', '=', id)
    .where('state', '=', 'pending')
    .execute();
}

/** A delivery in hand, with all that sending it takes. */
export type ClaimedDelivery = WebhookDeliveryRow & {
  event: EventRow;
  webhook: Pick<WebhookRow, 'url' | 'secret_sealed'>;
};

/**
 * Takes in hand what is due and has nothing before it, of other webhooks than these. The condition on the
 * claim is on the row that is written, so two gateways never take the same one.
 */
export async function claimDeliveries(
  db: Database,
  { now, until, limit, except }: { now: number; until: number; limit: number; except: readonly string[] },
): Promise<ClaimedDelivery[]> {
  const due = await db
    .selectFrom('webhook_deliveries as d')
    .select(['d.webhook_id', 'd.seq'])
    .where('d.state', '=', 'pending')
    .where('d.next_at', '<=', now)
    .where('d.claimed_until', '<=', now)
    .$if(except.length > 0, (query) => query.where('d.webhook_id', 'not in', except))
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom('webhook_deliveries as before')
            .select('before.seq')
            .whereRef('before.webhook_id', '=', 'd.webhook_id')
            .whereRef('before.session_id', '=', 'd.session_id')
            .where('before.state', '=', 'pending')
            .whereRef('before.seq', '<', 'd.seq'),
        ),
      ),
    )
    .orderBy('d.next_at')
    .limit(limit)
    .execute();
  const claimed: ClaimedDelivery[] = [];
  for (const { webhook_id, seq } of due) {
    const delivery = await db
      .updateTable('webhook_deliveries')
      .set((e) => ({ claimed_until: until, attempts: e('attempts', '+', 1) }))
      .where('webhook_id', '=', webhook_id)
      .where('seq', '=', seq)
      .where('state', '=', 'pending')
      .where('claimed_until', '<=', now)
      .returningAll()
      .executeTakeFirst();
    if (delivery) claimed.push(await withContents(db, delivery));
  }
  return claimed;
}

async function withContents(db: Database, delivery: WebhookDeliveryRow): Promise<ClaimedDelivery> {
  const [event, webhook] = await Promise.all([
    db
      .selectFrom('events')
      .selectAll()
      .where('account_id', '=', delivery.account_id)
      .where('seq', '=', delivery.seq)
      .executeTakeFirstOrThrow(),
    db
      .selectFrom('webhooks')
      .select(['url', 'secret_sealed'])
      .where('id', '=', delivery.webhook_id)
      .executeTakeFirstOrThrow(),
  ]);
  return { ...delivery, event, webhook };
}

export type Outcome =
  | { state: 'delivered' }
  | { state: 'pending'; nextAt: number; error: string }
  | { state: 'failed'; error: string };

/** Only while the claim is still ours: one that ran out may be in other hands. */
export async function settleDelivery(
  db: Database,
  delivery: WebhookDeliveryRow,
  outcome: Outcome,
): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set({
      state: outcome.state,
      claimed_until: 0,
      last_error: outcome.state === 'delivered' ? null : outcome.error,
      ...(outcome.state === 'pending' ? { next_at: outcome.nextAt } : {}),
    })
    .where('webhook_id', '=', delivery.webhook_id)
    .where('seq', '=', delivery.seq)
    .where('claimed_until', '=', delivery.claimed_until)
    .execute();
}

export function listDeliveries(db: Database, webhookId: string, limit: number) {
  return db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('events as e', (join) =>
      join.onRef('e.account_id', '=', 'd.account_id').onRef('e.seq', '=', 'd.seq'),
    )
    .selectAll('d')
    .select(['e.id as event_id', 'e.type as event_type', 'e.at as event_at'])
    .where('d.webhook_id', '=', webhookId)
    .orderBy('d.seq', 'desc')
    .limit(limit)
    .execute();
}

/**
 * Sends again what a webhook was sent before, and what it missed while it was not there: one event, or all
 * since a moment. What is still to be sent stays as it is.
 */
export function replayDeliveries(
  db: Database,
  webhook: WebhookRow,
  which: { eventId: string } | { since: number },
  now: number,
): Promise<number> {
  const types = JSON.parse(webhook.event_types) as EventType[];
  return db.transaction().execute(async (trx) => {
    let events = trx
      .selectFrom('events')
      .select(['account_id', 'seq', 'session_id'])
      .where('account_id', '=', webhook.account_id);
    if (types.length > 0) events = events.where('type', 'in', types);
    events =
      'eventId' in which ? events.where('id', '=', which.eventId) : events.where('at', '>=', which.since);
    const rows = await events.orderBy('seq').execute();
    let replayed = 0;
    for (const { account_id, seq, session_id } of rows) {
      const result = await trx
        .insertInto('webhook_deliveries')
        .values({
          webhook_id: webhook.id,
          account_id,
          seq,
          session_id: session_id ?? '',
          state: 'pending',
          next_at: now,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['webhook_id', 'seq'])
            .doUpdateSet({ state: 'pending', next_at: now, attempts: 0, last_error: null })
            .where('webhook_deliveries.state', '!=', 'pending'),
        )
        .executeTakeFirst();
      replayed += Number(result.numInsertedOrUpdatedRows ?? 0n);
    }
    return replayed;
  });
}
