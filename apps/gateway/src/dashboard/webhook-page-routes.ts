import { accountRoutes } from '@turnpike/contract/dashboard/routes';
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
import { accountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';

/** An account's webhooks, by the operations of the API. */
export function webhookPageRoutes(app: Routes, gateway: Gateway): void {
  const { answer } = typedRoutes(app, accountRoutes, '/dashboard/api');

  answer('GET /webhooks', accountPage, async ({ account }) => ({
    webhooks: await listOwnWebhooks(gateway, account.id),
  }));

  answer('POST /webhooks', accountPage, (request) =>
    createWebhook(gateway, request.account.id, jsonBody(request)),
  );

  answer('POST /webhooks/:id/delete', accountPage, async ({ account, params }) => {
    await deleteOwnWebhook(gateway, account.id, params.id);
    return { done: true };
  });

  answer('GET /webhooks/:id/deliveries', accountPage, async ({ account, params }) => ({
    deliveries: await deliveriesOf(gateway, account.id, params.id),
  }));

  answer('POST /webhooks/:id/test', accountPage, ({ account, params }, reply) =>
    testWebhook(gateway, account.id, params.id, disconnectSignal(reply)),
  );

  answer('POST /webhooks/:id/replay', accountPage, (request) =>
    replayWebhook(gateway, request.account.id, request.params.id, jsonBody(request)),
  );
}
