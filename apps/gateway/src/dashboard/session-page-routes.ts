import { accountRoutes } from '@turnpike/contract/dashboard/routes';
import { parseCreateBody, parseWait } from '../creates/create-params.ts';
import { openSession } from '../creates/open-session.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { allPages, sendCsvRows } from '../http/csv.ts';
import { jsonBody } from '../http/json-body.ts';
import { parseCursor } from '../http/page-query.ts';
import { accountPage, largeAccountPage, type Routes } from '../http/routes.ts';
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

/** An account's sessions, by the operations of the API. */
export function sessionPageRoutes(app: Routes, gateway: Gateway): void {
  const { db, now } = gateway;
  const { answer, send } = typedRoutes(app, accountRoutes, '/dashboard/api');

  answer('GET /running', accountPage, async ({ account }) => {
    const [sessions, slots] = await Promise.all([
      listActiveSessions(db, account.id),
      countSlots(db, account.id),
    ]);
    return {
      concurrency: concurrencyRecord(account, slots),
      sessions: sessions.map((row) => presentRow(row, now())),
    };
  });

  answer('GET /sessions', accountPage, async ({ account, query }) => {
    const filter = parseHistoryQuery(query, account.id);
    const { page, nextCursor } = await searchSessions(db, filter);
    return { sessions: page.map((row) => presentRow(row, now())), nextCursor };
  });

  send('GET /sessions/csv', largeAccountPage, async ({ account, query }, reply) => {
    const filter = parseHistoryQuery({ ...query, limit: csvPageSize, cursor: undefined }, account.id);
    const pages = allPages((cursor) => searchSessions(db, { ...filter, ...parseCursor(cursor) }));
    return sendCsvRows(reply, 'sessions.csv', sessionCsvHeader, sessionCsvRows(pages, now));
  });

  answer('GET /sessions/:id', accountPage, async (request) =>
    presentDetail(await ownSessionOfAnyAge(gateway, request, request.params.id), now()),
  );

  answer('POST /sessions', accountPage, async (request, reply) => {
    const body = jsonBody(request);
    const { session } = await openSession(
      gateway,
      request.account,
      () => {
        if (!body.ok) throw new ApiError('malformedParams', { because: body.rule });
        const waitSeconds = parseWait(body.value);
        return { params: parseCreateBody(body.value), waitSeconds, idempotencyKey: undefined };
      },
      disconnectSignal(reply),
      request.span,
    );
    request.logFields.sessionId = session.id;
    return presentDetail(session, now());
  });

  answer('POST /sessions/:id/close', accountPage, async (request) => {
    await closeSession(gateway, await ownSessionOfAnyAge(gateway, request, request.params.id));
    return presentDetail(await ownSessionOfAnyAge(gateway, request, request.params.id), now());
  });
}
