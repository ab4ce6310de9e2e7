import { DeliveryList, NewWebhook, Replayed, WebhookList } from '@turnpike/contract/events';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { newWebhookId } from '../accounts/secrets.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { type JsonBody, jsonBody } from '../http/json-body.ts';
import type { WebhookRow } from '../store/tables.ts';
import {
  deleteWebhookApi,
  deliveriesApi,
  newWebhookApi,
  replayApi,
  streamApi,
  webhooksApi,
} from './event-api.ts';
import type { EventStreams } from './event-stream.ts';
import { presentDelivery, presentWebhook } from './present-event.ts';
import { newWebhookSecret, parseWebhook } from './webhook.ts';
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  replayDeliveries,
} from './webhook-store.ts';

const shownDeliveries = 100;

type WithId = { Params: { id: string } };

/** What an account is told of, and how. */
export function eventRoutes(app: FastifyInstance, gateway: Gateway, streams: EventStreams): void {
  const { db, now, sealer, proxyGuard } = gateway;
  app.addHook('preClose', async () => streams.close());

  app.get('/user/api/events', { config: { api: streamApi } }, async (request, reply) => {
    const { account } = request;
    const seq = lastSeen(request) ?? account.event_seq;
    if (!streams.open(account, seq, reply.raw)) throw new ApiError('tooManyStreams');
    reply.hijack();
  });

  app.get(
    '/user/api/webhooks',
    { config: { api: webhooksApi }, schema: { response: { 200: WebhookList } } },
    async ({ account }) => ({
      webhooks: (await listWebhooks(db, account.id)).map(presentWebhook),
    }),
  );

  app.post(
    '/user/api/webhooks',
    { config: { api: newWebhookApi }, schema: { response: { 200: NewWebhook } } },
    async (request) => {
      const parsed = parseWebhook(object(jsonBody(request)));
      if (!parsed.ok) throw new ApiError('badRequest', { message: parsed.rule });
      await checkAddress(parsed.url);
      const secret = newWebhookSecret();
      const webhook: WebhookRow = {
        id: newWebhookId(),
        account_id: request.account.id,
        url: parsed.url.href,
        event_types: JSON.stringify(parsed.events),
        secret_sealed: sealer.seal(secret),
        status: 'enabled',
        created_at: now(),
      };
      if (!(await insertWebhook(db, webhook))) {
        throw new ApiError('badRequest', { message: 'an account has at most 10 webhooks; delete one first' });
      }
      return { ...presentWebhook(webhook), secret };
    },
  );

  app.delete<WithId>(
    '/user/api/webhooks/:id',
    {
      config: { api: deleteWebhookApi },
      schema: { response: { 200: Type.Object({ id: Type.String() }) } },
    },
    async ({ account, params: { id } }) => {
      if (!(await deleteWebhook(db, account.id, id))) throw new ApiError('notFound');
      return { id };
    },
  );

  app.get<WithId>(
    '/user/api/webhooks/:id/deliveries',
    { config: { api: deliveriesApi }, schema: { response: { 200: DeliveryList } } },
    async (request) => {
      const webhook = await ownWebhook(request);
      return { deliveries: (await listDeliveries(db, webhook.id, shownDeliveries)).map(presentDelivery) };
    },
  );

  app.post<WithId>(
    '/user/api/webhooks/:id/replay',
    { config: { api: replayApi }, schema: { response: { 200: Replayed } } },
    async (request) => {
      const webhook = await ownWebhook(request);
      const which = parseReplay(object(jsonBody(request)));
      return { replayed: await replayDeliveries(db, webhook, which, now()) };
    },
  );

  async function ownWebhook({ account, params }: FastifyRequest<WithId>): Promise<WebhookRow> {
    const webhook = await findWebhook(db, account.id, params.id);
    if (!webhook) throw new ApiError('notFound');
    return webhook;
  }

  /** What could never be delivered is told now, and is checked again at each delivery. */
  async function checkAddress({ hostname }: URL): Promise<void> {
    const host = hostname.replace(/^\[|\]$/g, '');
    const resolution = await proxyGuard.resolve(host, AbortSignal.timeout(5000));
    if (!resolution.ok && resolution.reason === 'not-allowed') {
      throw new ApiError('badRequest', { message: 'url must name a public address' });
    }
  }
}

function lastSeen(request: FastifyRequest): number | undefined {
  const given = request.headers['last-event-id'];
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(String(given))) {
    throw new ApiError('badRequest', { message: 'Last-Event-ID must be the id of an event of this stream' });
  }
  return Number(given);
}

function object(body: JsonBody): Record<string, unknown> {
  if (!body.ok) throw new ApiError('badRequest', { message: body.rule });
  return body.value;
}

function parseReplay({ eventId, since }: Record<string, unknown>): { eventId: string } | { since: number } {
  if (typeof eventId === 'string' && since === undefined) return { eventId };
  const at = typeof since === 'string' && eventId === undefined ? Date.parse(since) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new ApiError('badRequest', { message: 'give either eventId, or since as an ISO 8601 time' });
  }
  return { since: at };
}
