import { accountRoutes } from '@turnpike/contract/dashboard/routes';
import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { ownSession, ownSessionOfAnyAge } from '../sessions/caller-session.ts';
import { issueReceipt } from '../traffic/issue-receipt.ts';
import { presentTraffic, presentTrafficPage } from '../traffic/present-traffic.ts';
import { readAccountTraffic, readTrafficByDay } from '../traffic/read-account-traffic.ts';
import { readTraffic } from '../traffic/read-traffic.ts';
import { sendAccountTraffic, sendSessionTraffic } from '../traffic/traffic-csv.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';

const config = { open: true, namesFields: true, api: false } as const;

/** Where bytes went: of one session, and of the account by day. */
export function trafficPageRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { account: onRequest } = dashboardAuth(gateway);
  const guarded = { config, onRequest };
  const large = { config: { ...config, isLargeRead: true }, onRequest };
  const { answer, send } = typedRoutes(app, accountRoutes, '/dashboard/api');

  answer('GET /sessions/:id/traffic', guarded, async (request) => {
    const session = await ownSessionOfAnyAge(gateway, request, request.params.id);
    return presentTrafficPage(await readTraffic(gateway, session), gateway.now());
  });

  send('GET /sessions/:id/traffic/csv', large, async (request, reply) => {
    const session = await ownSession(gateway, request, request.params.id);
    return sendSessionTraffic(reply, presentTraffic(await readTraffic(gateway, session)));
  });

  send('GET /sessions/:id/receipt', guarded, async (request, reply) => {
    const session = await ownSession(gateway, request, request.params.id);
    const receipt = await issueReceipt(gateway, session);
    return reply
      .header('content-disposition', `attachment; filename="${session.id}-receipt.json"`)
      .send(receipt);
  });

  answer('GET /traffic', guarded, async ({ account, query }) => readTrafficByDay(gateway, account.id, query));

  send('GET /traffic/csv', large, async ({ account, query: { from, to } }, reply) =>
    sendAccountTraffic(reply, await readAccountTraffic(gateway, account.id, { from, to })),
  );
}
