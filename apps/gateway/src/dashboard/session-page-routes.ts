import { History, Running, SessionDetail } from '@turnpike/contract/dashboard';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { jsonBody } from '../http/json-body.ts';
import { countSlots } from '../limits/slot-store.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import { closeSession } from '../sessions/close-session.ts';
import { parseCreateBody, parseWait } from '../sessions/create-params.ts';
import { openSession } from '../sessions/open-session.ts';
import { presentDetail, presentRow } from '../sessions/present-session-page.ts';
import { searchSessions } from '../sessions/search-sessions.ts';
import { parseHistoryQuery } from '../sessions/session-query.ts';
import { findSessionById, listActiveSessions } from '../sessions/session-store.ts';
import type { SessionRow } from '../store/tables.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';

const config = { open: true, namesFields: true, api: false } as const;
type WithId = { Params: { id: string } };

/** An account's sessions: the same operations as interface A's. */
export function sessionPageRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { db, now } = gateway;
  const { account: onRequest } = dashboardAuth(gateway);
  const answering = (schema: object) => ({ config, onRequest, schema: { response: { 200: schema } } });

  app.get('/dashboard/api/running', answering(Running), async ({ account }) => {
    const [sessions, slots] = await Promise.all([
      listActiveSessions(db, account.id),
      countSlots(db, account.id),
    ]);
    return {
      concurrency: concurrencyRecord(account, slots),
      sessions: sessions.map((row) => presentRow(row, now())),
    };
  });

  app.get('/dashboard/api/sessions', answering(History), async ({ account, query }) => {
    const filter = parseHistoryQuery(query, account.id);
    const { page, nextCursor } = await searchSessions(db, filter);
    return { sessions: page.map((row) => presentRow(row, now())), nextCursor };
  });

  app.get<WithId>('/dashboard/api/sessions/:id', answering(SessionDetail), async (request) =>
    presentDetail(await ownSession(request), now()),
  );

  app.post('/dashboard/api/sessions', answering(SessionDetail), async (request, reply) => {
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

  app.post<WithId>('/dashboard/api/sessions/:id/close', answering(SessionDetail), async (request) => {
    await closeSession(gateway, await ownSession(request));
    return presentDetail(await ownSession(request), now());
  });

  /** Whatever its age: this is the permanent record. */
  async function ownSession(request: FastifyRequest<WithId>): Promise<SessionRow> {
    const session = await findSessionById(db, request.params.id.replaceAll('\0', ''));
    const isOwn = session?.account_id === request.account.id && session.state !== 'STARTING';
    if (!isOwn) throw new ApiError('sessionNotFound');
    request.logFields.sessionId = session.id;
    return session;
  }
}
