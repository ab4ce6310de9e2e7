import { accountRoutes } from '@turnpike/contract/dashboard/routes';
import type { FastifyInstance } from 'fastify';
import { openSession } from '../creates/open-session.ts';
import { parseCreate } from '../creates/parse-create.ts';
import type { Gateway } from '../gateway.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { allPages, sendCsvRows } from '../http/csv.ts';
import { jsonBody } from '../http/json-body.ts';
import { parseCursor } from '../http/page-query.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { countSlots } from '../limits/slot-store.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import { ownSessionOfAnyAge } from '../sessions/caller-session.ts';
import { closeSession } from '../sessions/close-session.ts';
import { presentDetail, presentRow } from '../sessions/present-session-page.ts';
import { searchSessions } from '../sessions/search-sessions.ts';
import { csvPageSize, sessionCsvHeader, sessionCsvRows } from '../sessions/session-csv.ts';
import { parseHistoryQuery } from '../sessions/session-query.ts';
import { listActiveSessions } from '../sessions/session-store.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';

const config = { open: true, namesFields: true, api: false } as const;

/** An account's sessions, by the operations of the API. */
export function sessionPageRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { db, now } = gateway;
  const { account: onRequest } = dashboardAuth(gateway);
  const guarded = { config, onRequest };
  const large = { config: { ...config, isLargeRead: true }, onRequest };
  const { answer, send } = typedRoutes(app, accountRoutes, '/dashboard/api');

  answer('GET /running', guarded, async ({ account }) => {
    const [sessions, slots] = await Promise.all([
      listActiveSessions(db, account.id),
      countSlots(db, account.id),
    ]);
    return {
      concurrency: concurrencyRecord(account, slots),
      sessions: sessions.map((row) => presentRow(row, now())),
    };
  });

  answer('GET /sessions', guarded, async ({ account, query }) => {
    const filter = parseHistoryQuery(query, account.id);
    const { page, nextCursor } = await searchSessions(db, filter);
    return { sessions: page.map((row) => presentRow(row, now())), nextCursor };
  });

  send('GET /sessions/csv', large, async ({ account, query }, reply) => {
    const filter = parseHistoryQuery({ ...query, limit: csvPageSize, cursor: undefined }, account.id);
    const pages = allPages((cursor) => searchSessions(db, { ...filter, ...parseCursor(cursor) }));
    return sendCsvRows(reply, 'sessions.csv', sessionCsvHeader, sessionCsvRows(pages, now));
  });

  answer('GET /sessions/:id', guarded, async (request) =>
    presentDetail(await ownSessionOfAnyAge(gateway, request, request.params.id), now()),
  );

  answer('POST /sessions', guarded, async (request, reply) => {
    const parsed = parseCreate(gateway, request, jsonBody(request));
    const { account, span } = request;
    const disconnected = disconnectSignal(reply);
    const { session } = await openSession(gateway, { account, parsed, disconnected, span });
    request.logFields.sessionId = session.id;
    return presentDetail(session, now());
  });

  answer('POST /sessions/:id/close', guarded, async (request) => {
    await closeSession(gateway, await ownSessionOfAnyAge(gateway, request, request.params.id));
    return presentDetail(await ownSessionOfAnyAge(gateway, request, request.params.id), now());
  });
}
