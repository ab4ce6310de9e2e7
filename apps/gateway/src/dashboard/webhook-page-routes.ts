import { Deliveries, Done, Webhooks } from '@turnpike/contract/dashboard';
import { NewWebhook, Replayed } from '@turnpike/contract/events';
import type { FastifyInstance } from 'fastify';
import {
  createWebhook,
  deleteOwnWebhook,
  deliveriesOf,
  listOwnWebhooks,
  replayWebhook,
} from '../events/caller-webhooks.ts';
import type { Gateway } from '../gateway.ts';
import { jsonBody } from '../http/json-body.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';

const config = { open: true, namesFields: true, api: false } as const;
type WithId = { Params: { id: string } };

/** An account's webhooks: the same operations as the API's. */
export function webhookPageRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { account: onRequest } = dashboardAuth(gateway);
  const answering = (schema: object) => ({ config, onRequest, schema: { response: { 200: schema } } });

  app.get('/dashboard/api/webhooks', answering(Webhooks), async ({ account }) => ({
    webhooks: await listOwnWebhooks(gateway, account.id),
  }));

  app.post('/dashboard/api/webhooks', answering(NewWebhook), (request) =>
    createWebhook(gateway, request.account.id, jsonBody(request)),
  );

  app.post<WithId>('/dashboard/api/webhooks/:id/delete', answering(Done), async ({ account, params }) => {
    await deleteOwnWebhook(gateway, account.id, params.id);
    return { done: true };
  });

  app.get<WithId>(
    '/dashboard/api/webhooks/:id/deliveries',
    answering(Deliveries),
    async ({ account, params }) => ({ deliveries: await deliveriesOf(gateway, account.id, params.id) }),
  );

  app.post<WithId>('/dashboard/api/webhooks/:id/replay', answering(Replayed), (request) =>
    replayWebhook(gateway, request.account.id, request.params.id, jsonBody(request)),
  );
}
