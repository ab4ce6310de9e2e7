import { accountPageRoutes, apiRoutes } from '@turnpike/contract/dashboard/routes';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal, endOnDisconnect } from '../http/client-disconnect.ts';
import { jsonBody } from '../http/json-body.ts';
import { accountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
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
import { testWebhook } from './test-webhook.ts';

const auth = 'key-or-cookie';

/** An account's event stream and webhooks. */
export function eventRoutes(app: Routes, context: EventContext, streams: EventStreams): void {
  const { answer } = typedRoutes(app, apiRoutes);
  const pages = typedRoutes(app, accountPageRoutes, '/dashboard/api');
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

  answer('GET /user/api/webhooks', { config: { auth, api: webhooksApi } }, async ({ account }) => ({
    webhooks: await listOwnWebhooks(context, account.id),
  }));

  answer('POST /user/api/webhooks', { config: { auth, api: newWebhookApi } }, (request) =>
    createWebhook(context, request.account.id, jsonBody(request)),
  );

  answer(
    'DELETE /user/api/webhooks/:id',
    { config: { auth, api: deleteWebhookApi } },
    async ({ account, params: { id } }) => {
      await deleteOwnWebhook(context, account.id, id);
      return { id };
    },
  );

  answer(
    'GET /user/api/webhooks/:id/deliveries',
    { config: { auth, api: deliveriesApi } },
    async ({ account, params: { id } }) => ({ deliveries: await deliveriesOf(context, account.id, id) }),
  );

  answer('POST /user/api/webhooks/:id/replay', { config: { auth, api: replayApi } }, (request) =>
    replayWebhook(context, request.account.id, request.params.id, jsonBody(request)),
  );

  pages.answer('POST /webhooks/:id/test', accountPage, ({ account, params }, reply) =>
    testWebhook(context, account.id, params.id, disconnectSignal(reply)),
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
