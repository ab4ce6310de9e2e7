import { DeliveryList, NewWebhook, Replayed, WebhookList } from '@turnpike/contract/events';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { ApiError } from '../http/api-error.ts';
import { endOnDisconnect } from '../http/client-disconnect.ts';
import { jsonBody } from '../http/json-body.ts';
import type { Routes } from '../http/routes.ts';
import {
  createWebhook,
  deleteOwnWebhook,
  deliveriesOf,
  listOwnWebhooks,
  replayWebhook,
} from './caller-webhooks.ts';
import {
  deleteWebhookApi,
  deliveriesApi,
  newWebhookApi,
  replayApi,
  streamApi,
  webhooksApi,
} from './event-api.ts';
import type { EventContext } from './event-context.ts';
import type { EventStreams } from './event-stream.ts';

type WithId = { Params: { id: string } };

/** An account's event stream and webhooks. */
export function eventRoutes(app: Routes, context: EventContext, streams: EventStreams): void {
  app.addHook('preClose', async () => streams.close());

  app.get(
    '/user/api/events',
    { exposeHeadRoute: false, config: { auth: 'key', api: streamApi } },
    async (request, reply) => {
      const { account } = request;
      const seq = lastSeen(request) ?? account.event_seq;
      if (!streams.open(account, seq, reply.raw)) throw new ApiError('tooManyStreams');
      endOnDisconnect(reply);
      reply.hijack();
    },
  );
  // Fastify would open a stream for it.
  app.head('/user/api/events', { config: { auth: 'key', api: false } }, (_request, reply) =>
    reply.type('text/event-stream').send(),
  );

  app.get(
    '/user/api/webhooks',
    { config: { auth: 'key', api: webhooksApi }, schema: { response: { 200: WebhookList } } },
    async ({ account }) => ({ webhooks: await listOwnWebhooks(context, account.id) }),
  );

  app.post(
    '/user/api/webhooks',
    { config: { auth: 'key', api: newWebhookApi }, schema: { response: { 200: NewWebhook } } },
    (request) => createWebhook(context, request.account.id, jsonBody(request)),
  );

  app.delete<WithId>(
    '/user/api/webhooks/:id',
    {
      config: { auth: 'key', api: deleteWebhookApi },
      schema: { response: { 200: Type.Object({ id: Type.String() }) } },
    },
    async ({ account, params: { id } }) => {
      await deleteOwnWebhook(context, account.id, id);
      return { id };
    },
  );

  app.get<WithId>(
    '/user/api/webhooks/:id/deliveries',
    { config: { auth: 'key', api: deliveriesApi }, schema: { response: { 200: DeliveryList } } },
    async ({ account, params: { id } }) => ({ deliveries: await deliveriesOf(context, account.id, id) }),
  );

  app.post<WithId>(
    '/user/api/webhooks/:id/replay',
    { config: { auth: 'key', api: replayApi }, schema: { response: { 200: Replayed } } },
    async (request) => {
      const { account, params } = request;
      return replayWebhook(context, account.id, params.id, jsonBody(request));
    },
  );
}

function lastSeen(request: FastifyRequest): number | undefined {
  const given = request.headers['last-event-id'];
  if (given === undefined) return undefined;
  if (!/^\d{1,15}$/.test(String(given))) {
    throw new ApiError('badRequest', { message: 'Last-Event-ID must be the id of an event of this stream' });
  }
  return Number(given);
}
