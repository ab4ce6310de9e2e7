import { unlimitedCount } from '@turnpike/contract/account';
import { CloseResult, Session, SessionListItem, type SessionStatus } from '@turnpike/contract/session';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { hangUp } from '../http/hang-up.ts';
import { jsonBody } from '../http/json-body.ts';
import { closeByKey } from './close-by-key.ts';
import { closeSession } from './close-session.ts';
import {
  type CreateRequest,
  parseConnectQuery,
  parseCreateBody,
  parseWait,
  type RawParams,
} from './create-params.ts';
import { parseIdempotencyKey } from './idempotency.ts';
import { type OpenedSession, openSession } from './open-session.ts';
import { askOwnSession, noteSession, ownSession } from './own-session.ts';
import { cdpUrl, presentListItem, presentSession, vncUrl } from './present-session.ts';
import { reconnectSession } from './reconnect-session.ts';
import { closeApi, connectApi, createApi, listApi, statusApi } from './session-api.ts';
import { listActiveSessions, type ShownSession } from './session-store.ts';

export function sessionRoutes(app: FastifyInstance, gateway: Gateway): void {
  app.get(
    '/connect',
    { config: { plainTextErrors: true, keyInQuery: true, traced: true, api: connectApi } },
    async (request, reply) => {
      const query = request.query as RawParams;
      const opened = await openOrReconnect(request, reply, query['sessionId'], () => ({
        params: parseConnectQuery(query),
        waitSeconds: parseWait(query),
      }));
      // A WebSocket client is sent on to the browser; the gateway stays out of the data path.
      if (isWebSocketUpgrade(request)) return reply.redirect(cdpUrl(opened.session), 307);
      return reply.type('text/plain; charset=utf-8').send(cdpUrl(opened.session));
    },
  );

  app.post(
    '/api/browser/create',
    { config: { traced: true, api: createApi }, schema: { response: { 200: Session } } },
    async (request, reply) => {
      const body = jsonBody(request);
      const opened = await openOrReconnect(
        request,
        reply,
        body.ok ? body.value['sessionId'] : undefined,
        () => {
          if (!body.ok) throw new ApiError('malformedParams', { because: body.rule });
          return { params: parseCreateBody(body.value), waitSeconds: parseWait(body.value) };
        },
      );
      return sendSession(reply, opened.session);
    },
  );

  app.post(
    '/api/browser/close',
    { config: { api: closeApi }, schema: { response: { 200: CloseResult } } },
    async (request) => {
      const body = jsonBody(request);
      const { browserId: id, idempotencyKey = undefined } = body.ok ? body.value : {};
      if (id === undefined && idempotencyKey !== undefined) {
        const closed = await closeByKey(gateway, request.account.id, parseIdempotencyKey(idempotencyKey));
        if (closed.browserId !== null) noteSession(request, { id: closed.browserId });
        return closed;
      }
      if (typeof id !== 'string' || id === '') throw new ApiError('browserIdRequired');
      const session = await ownSession(gateway, request, id);
      const status = await closeSession(gateway, session);
      return { browserId: session.id, status: status as SessionStatus };
    },
  );

  app.get<{ Params: { id: string } }>(
    '/api/browser/:id/status',
    { config: { asksWithKey: true, api: statusApi }, schema: { response: { 200: Session } } },
    async (request, reply) => sendSession(reply, await askOwnSession(gateway, request, request.params.id)),
  );

  app.get(
    '/api/browsers',
    { config: { api: listApi }, schema: { response: { 200: Type.Array(SessionListItem) } } },
    async (request) => {
      const sessions = await listActiveSessions(gateway.db, request.account.id);
      return sessions.map(presentListItem);
    },
  );

  async function openOrReconnect(
    request: FastifyRequest,
    reply: FastifyReply,
    sessionId: unknown,
    parse: () => Omit<CreateRequest, 'idempotencyKey'>,
  ): Promise<OpenedSession> {
    const opened =
      sessionId === undefined || sessionId === null
        ? await openSession(
            gateway,
            request.account,
            () => createRequest(request, parse),
            hangUp(reply),
            request.span,
          )
        : await reconnectSession(gateway, request.account, sessionId);
    noteSession(request, opened.session);
    reply.header('x-session-id', opened.session.id);
    reply.header('x-ratelimit-limit', String(opened.limit ?? unlimitedCount));
    reply.header('x-ratelimit-remaining', String(opened.remaining ?? unlimitedCount));
    const viewer = vncUrl(opened.session);
    if (viewer) reply.header('x-vnc-url', viewer);
    return opened;
  }
}

function sendSession(reply: FastifyReply, session: ShownSession): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(presentSession(session));
}

function createRequest(
  request: FastifyRequest,
  parse: () => Omit<CreateRequest, 'idempotencyKey'>,
): CreateRequest {
  const key = request.headers['idempotency-key'];
  const idempotencyKey = key === undefined ? undefined : parseIdempotencyKey(key);
  return { ...parse(), idempotencyKey };
}

function isWebSocketUpgrade(request: FastifyRequest): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}
