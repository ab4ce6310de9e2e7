import type { Delivery, NewWebhook, Replayed, Webhook } from '@turnpike/contract/events';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';
import { ApiError } from '../http/api-error.ts';
import { portOf } from '../http/checked-request.ts';
import { iso } from '../http/iso.ts';
import type { JsonBody } from '../http/json-body.ts';
import { objectIn } from '../http/parse-with.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { newWebhookId } from '../secrets/new-ids.ts';
import type { WebhookRow } from '../store/tables/event-tables.ts';
import type { EventContext } from './event-context.ts';
import { presentDelivery, presentWebhook } from './present-event.ts';
import { replayDeliveries } from './replay-store.ts';
import { newWebhookSecret, parseWebhook } from './webhook.ts';
import { deleteWebhook, findWebhook, insertWebhook, listDeliveries, listWebhooks } from './webhook-store.ts';

/** An account's operations on its webhooks, for the API and the dashboard. */

const shownDeliveries = 100;

export async function listOwnWebhooks({ db }: EventContext, accountId: string): Promise<Webhook[]> {
  return (await listWebhooks(db, accountId)).map(presentWebhook);
}

export async function createWebhook(
  context: EventContext,
  accountId: string,
  body: JsonBody,
): Promise<NewWebhook> {
  const parsed = parseWebhook(objectIn(body));
  if (!parsed.ok) throw new ApiError('badRequest', { message: parsed.rule, field: parsed.field });
  await checkAddress(context, parsed.url);
  const secret = newWebhookSecret();
  const id = newWebhookId();
  const webhook: WebhookRow = {
    id,
    account_id: accountId,
    url: parsed.url.href,
    event_types: JSON.stringify(parsed.events),
    secret_sealed: context.sealer.seal(secret, associatedData.webhookSecret(id)),
    status: 'enabled',
    created_at: context.now(),
  };
  if (!(await insertWebhook(context.db, webhook))) {
    throw new ApiError('badRequest', { message: 'an account has at most 10 webhooks; delete one first' });
  }
  return { ...presentWebhook(webhook), secret };
}

export async function deleteOwnWebhook({ db }: EventContext, accountId: string, id: string): Promise<void> {
  if (!(await deleteWebhook(db, accountId, plain(id)))) throw new ApiError('notFound');
}

/** Lists the latest deliveries of a webhook. */
export async function deliveriesOf(
  context: EventContext,
  accountId: string,
  id: string,
): Promise<Delivery[]> {
  const webhook = await ownWebhook(context, accountId, id);
  return (await listDeliveries(context.db, webhook.id, shownDeliveries)).map(presentDelivery);
}

/** Sends past events again. Returns how many, and where to continue if that is not all. */
export async function replayWebhook(
  context: EventContext,
  accountId: string,
  id: string,
  body: JsonBody,
): Promise<Replayed> {
  const webhook = await ownWebhook(context, accountId, id);
  const which = parseReplay(objectIn(body));
  const { replayed, nextSince } = await replayDeliveries(context.db, webhook, which, context.now());
  return { replayed, ...(nextSince !== undefined && { nextSince: iso(nextSince) }) };
}

export async function ownWebhook({ db }: EventContext, accountId: string, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(db, accountId, plain(id));
  if (!webhook) throw new ApiError('notFound');
  return webhook;
}

/** Refuses addresses that could never be delivered to. They are checked again at each delivery. */
async function checkAddress({ webhookGuard }: EventContext, url: URL): Promise<void> {
  const resolution = await webhookGuard.resolve(urlHost(url), AbortSignal.timeout(5000), portOf(url));
  if (!resolution.ok && resolution.reason === 'not-allowed') {
    throw new ApiError('badRequest', { message: 'url must name a public address', field: 'url' });
  }
}

function parseReplay({ eventId, since }: Record<string, unknown>): { eventId: string } | { since: number } {
  if (typeof eventId === 'string' && since === undefined) return { eventId: plain(eventId) };
  const at = typeof since === 'string' && eventId === undefined ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new ApiError('badRequest', { message: 'give either eventId, or since as an ISO 8601 time' });
  }
  return { since: at };
}

/** PostgreSQL stores no NUL in a text. */
const plain = (id: string): string => id.replaceAll('\0', '');
