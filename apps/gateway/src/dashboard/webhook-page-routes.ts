import { accountRoutes } from '@turnpike/contract/dashboard/routes';
import type { FastifyInstance } from 'fastify';
import {
  createWebhook,
  deleteOwnWebhook,
  deliveriesOf,
  listOwnWebhooks,
  replayWebhook,
} from '../events/caller-webhooks.ts';
import { testWebhook } from '../events/test-webhook.ts';
import type { Gateway } from '../gateway.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { jsonBody } from '../http/json-body.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';

const config = { open: true, namesFields: true, api: false } as const;

/** An account's webhooks, by the operations of the API. */
export function webhookPageRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { account: onRequest } = dashboardAuth(gateway);
  const guarded = { config, onRequest };
  const { answer } = typedRoutes(app, accountRoutes, '/dashboard/api');

  answer('GET /webhooks', guarded, async ({ account }) => ({
    webhooks: await listOwnWebhooks(gateway, account.id),
  }));

  answer('POST /webhooks', guarded, (request) =>
    createWebhook(gateway, request.account.id, jsonBody(request)),
  );

  answer('POST /webhooks/:id/delete', guarded, async ({ account, params }) => {
    await deleteOwnWebhook(gateway, account.id, params.id);
    return { done: true };
  });

  answer('GET /webhooks/:id/deliveries', guarded, async ({ account, params }) => ({
    deliveries: await deliveriesOf(gateway, account.id, params.id),
  }));

  answer('POST /webhooks/:id/test', guarded, ({ account, params }, reply) =>
    testWebhook(gateway, account.id, params.id, disconnectSignal(reply)),
  );

  answer('POST /webhooks/:id/replay', guarded, (request) =>
    replayWebhook(gateway, request.account.id, request.params.id, jsonBody(request)),
  );
}
