import { accountPageRoutes } from '@turnpike/contract/dashboard/routes';
import { AccountTraffic, SessionTraffic } from '@turnpike/contract/traffic-answers';
import { wantsCsv } from '../http/answers/csv.ts';
import { sendWithList } from '../http/answers/part-streams.ts';
import { accountPage, largeAccountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { ownSession, ownSessionOfAnyAge } from '../sessions/caller-session.ts';
import type { SessionContext } from '../sessions/session-context.ts';
import { presentTraffic, presentTrafficPage } from './present-traffic.ts';
import { readAccountTraffic, readTrafficByDay } from './read-account-traffic.ts';
import { readTraffic } from './read-traffic.ts';
import { accountTrafficApi, sessionTrafficApi } from './traffic-api.ts';
import { sendAccountTraffic, sendSessionTraffic } from './traffic-csv.ts';

/** Where bytes went: of one session, and of an account by day; for the API and as the pages show it. */
export function trafficRoutes(app: Routes, context: SessionContext): void {
  app.get<{ Params: { id: string } }>(
    '/api/browser/:id/traffic',
    {
      config: { auth: 'key', api: sessionTrafficApi, isLargeRead: true },
      schema: { response: { 200: SessionTraffic } },
    },
    async (request, reply) => {
      const session = await ownSession(context, request, request.params.id);
      const traffic = presentTraffic(await readTraffic(context, session));
      reply.header('vary', 'accept');
      return wantsCsv(request.headers.accept) ? sendSessionTraffic(reply, traffic) : traffic;
    },
  );

  app.get(
    '/user/api/traffic',
    {
      config: { auth: 'key', api: accountTrafficApi, isLargeRead: true },
      schema: { response: { 200: AccountTraffic } },
    },
    async (request, reply) => {
      const traffic = await readAccountTraffic(context, request.account.id, request.query);
      reply.header('vary', 'accept');
      if (wantsCsv(request.headers.accept)) return sendAccountTraffic(reply, traffic);
      const { days, ...range } = traffic;
      const destinations = days.reduce((sum, day) => sum + day.destinations.length, 0);
      return sendWithList(reply, range, 'days', days, destinations);
    },
  );

  const { answer, send } = typedRoutes(app, accountPageRoutes, '/dashboard/api');

  answer('GET /sessions/:id/traffic', accountPage, async (request) => {
    const session = await ownSessionOfAnyAge(context, request, request.params.id);
    return presentTrafficPage(await readTraffic(context, session), context.now());
  });

  send('GET /sessions/:id/traffic/csv', largeAccountPage, async (request, reply) => {
    const session = await ownSession(context, request, request.params.id);
    return sendSessionTraffic(reply, presentTraffic(await readTraffic(context, session)));
  });

  answer('GET /traffic', accountPage, async ({ account, query }) =>
    readTrafficByDay(context, account.id, query),
  );

  send('GET /traffic/csv', largeAccountPage, async ({ account, query: { from, to } }, reply) =>
    sendAccountTraffic(reply, await readAccountTraffic(context, account.id, { from, to })),
  );
}
