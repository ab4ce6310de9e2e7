import type { Database } from '../store/database.ts';
import type { EventRow, WebhookDeliveryRow, WebhookRow } from '../store/tables/event-tables.ts';

const maxWebhooks = 10;

/** Inserts a webhook, under the account's row lock. False: the account has too many. */
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

/** Deletes a webhook and its deliveries. False: there is no such webhook. */
export async function deleteWebhook(db: Database, accountId: string, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('webhooks')
    .where('id', '=', id)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Disables a webhook whose receiver is gone for good. */
export async function disableWebhook(db: Database, id: string): Promise<void> {
  await db.updateTable('webhooks').set({ status: 'disabled' }).where('id', '=', id).execute();
  await db
    .updateTable('webhook_deliveries')
    .set({ state: 'failed' })
    .where('webhook_id', '=', id)
    .where('state', '=', 'pending')
    .execute();
}

/** A claimed delivery, with all that is needed to send it. */
export type ClaimedDelivery = WebhookDeliveryRow & {
  event: EventRow;
  webhook: Pick<WebhookRow, 'url' | 'secret_sealed'>;
};

export interface DueFilter {
  now: number;
  limit: number;
  exceptAccounts: readonly string[];
  exceptWebhooks: readonly string[];
}

export type DueDelivery = Pick<WebhookDeliveryRow, 'webhook_id' | 'account_id' | 'seq'>;

/** Lists due deliveries with none before them, of other accounts and webhooks than these, longest waiting first. */
export function dueDeliveries(
  db: Database,
  { now, limit, exceptAccounts, exceptWebhooks }: DueFilter,
): Promise<DueDelivery[]> {
  return db
    .selectFrom('webhook_deliveries as d')
    .select(['d.webhook_id', 'd.account_id', 'd.seq'])
    .where('d.state', '=', 'pending')
    .where('d.next_at', '<=', now)
    .where('d.claimed_until', '<=', now)
    .$if(exceptAccounts.length > 0, (query) => query.where('d.account_id', 'not in', exceptAccounts))
    .$if(exceptWebhooks.length > 0, (query) => query.where('d.webhook_id', 'not in', exceptWebhooks))
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
}

/**
 * Claims a delivery. The condition is on the row that is written, so two gateways never claim the same one. Returns
 * undefined if another gateway has it, or it is gone.
 */
export async function claimDelivery(
  db: Database,
  { webhook_id, seq }: DueDelivery,
  { now, until }: { now: number; until: number },
): Promise<ClaimedDelivery | undefined> {
  const delivery = await db
    .updateTable('webhook_deliveries')
    .set((e) => ({ claimed_until: until, attempts: e('attempts', '+', 1) }))
    .where('webhook_id', '=', webhook_id)
    .where('seq', '=', seq)
    .where('state', '=', 'pending')
    .where('claimed_until', '<=', now)
    .returningAll()
    .executeTakeFirst();
  return delivery && withContents(db, delivery);
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

/**
 * Stores the outcome of a delivery, if the claim is still ours: after it expires, another gateway may have the
 * delivery.
 */
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
