import { accountRoutes } from '@turnpike/contract/dashboard/routes';
import type { Gateway } from '../gateway.ts';
import { accountPage, largeAccountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { ownSession, ownSessionOfAnyAge } from '../sessions/caller-session.ts';
import { issueReceipt } from '../traffic/issue-receipt.ts';
import { presentTrafficPage } from '../traffic/present-traffic-page.ts';
import { readAccountTraffic, readTrafficByDay } from '../traffic/read-account-traffic.ts';
import { readTraffic } from '../traffic/read-traffic.ts';
import { presentTraffic } from '../traffic/traffic.ts';
import { sendAccountTraffic, sendSessionTraffic } from '../traffic/traffic-csv.ts';

/** Where bytes went: of one session, and of the account by day. */
export function trafficPageRoutes(app: Routes, gateway: Gateway): void {
  const { answer, send } = typedRoutes(app, accountRoutes, '/dashboard/api');

  answer('GET /sessions/:id/traffic', accountPage, async (request) => {
    const session = await ownSessionOfAnyAge(gateway, request, request.params.id);
    return presentTrafficPage(await readTraffic(gateway, session), gateway.now());
  });

  send('GET /sessions/:id/traffic/csv', largeAccountPage, async (request, reply) => {
    const session = await ownSession(gateway, request, request.params.id);
    return sendSessionTraffic(reply, presentTraffic(await readTraffic(gateway, session)));
  });

  send('GET /sessions/:id/receipt', accountPage, async (request, reply) => {
    const session = await ownSession(gateway, request, request.params.id);
    const receipt = await issueReceipt(gateway, session);
    return reply
      .header('content-disposition', `attachment; filename="${session.id}-receipt.json"`)
      .send(receipt);
  });

  answer('GET /traffic', accountPage, async ({ account, query }) =>
    readTrafficByDay(gateway, account.id, query),
  );

  send('GET /traffic/csv', largeAccountPage, async ({ account, query: { from, to } }, reply) =>
    sendAccountTraffic(reply, await readAccountTraffic(gateway, account.id, { from, to })),
  );
}
