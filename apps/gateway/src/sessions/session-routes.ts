import { unlimitedCount } from '@turnpike/contract/account';
import { maxBulkIds } from '@turnpike/contract/create';
import { type ErrorName, errors } from '@turnpike/contract/errors';
import {
  BulkStatus,
  CloseResult,
  CreatedSession,
  Session,
  SessionListItem,
  type SessionStatus,
} from '@turnpike/contract/session';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import {
  bodyParams,
  type CreateRequest,
  parseConnectQuery,
  parseCreateBody,
  parseWait,
  type RawParams,
} from '../creates/create-params.ts';
import { parseIdempotencyKey } from '../creates/idempotency.ts';
import { openSession } from '../creates/open-session.ts';
import type { OpenedSession } from '../creates/opened-session.ts';
import { ApiError, badRequest } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { isObject, type JsonBody, jsonBody, rawBody } from '../http/json-body.ts';
import type { Routes } from '../http/routes.ts';
import { listOwnSessions } from './bulk-status-store.ts';
import { askOwnSession, isId, noteSession, ownSession } from './caller-session.ts';
import { closeByKey } from './close-by-key.ts';
import { closeSession } from './close-session.ts';
import { cdpUrl, presentCreated, presentListItem, presentSession, vncUrl } from './present-session.ts';
import { reconnectSession } from './reconnect-session.ts';
import { bulkStatusApi, closeApi, connectApi, createApi, listApi, statusApi } from './session-api.ts';
import type { SessionContext } from './session-context.ts';
import { listActiveSessions } from './session-store.ts';

export function sessionRoutes(app: Routes, context: SessionContext): void {
  app.get(
    '/connect',
    {
      // A HEAD would open a browser.
      exposeHeadRoute: false,
      config: { auth: 'key', plainTextErrors: true, keyInQuery: true, traced: true, api: connectApi },
    },
    async (request, reply) => {
      if (isPlaywrightConnect(request)) throw badRequest(useConnectOverCdp);
      const query = request.query as RawParams;
      const opened = await openOrReconnect(request, reply, query['sessionId'], () => ({
        waitSeconds: parseWait(query),
        params: parseConnectQuery(query),
      }));
      // A WebSocket client is redirected to the browser: the gateway stays out of the data path.
      if (isWebSocketUpgrade(request)) return reply.redirect(cdpUrl(opened.session), 307);
      return reply.type('text/plain; charset=utf-8').send(cdpUrl(opened.session));
    },
  );

  app.post(
    '/api/browser/create',
    {
      config: { auth: 'key-or-cookie', traced: true, api: createApi },
      schema: { response: { 200: CreatedSession } },
    },
    async (request, reply) => {
      const body = jsonBody(request);
      const opened = await openOrReconnect(request, reply, sessionIdOf(body), () => {
        if (!body.ok) throw new ApiError('malformedParams', { because: body.rule });
        const sent = rawBody(request);
        return {
          waitSeconds: parseWait(bodyParams(body.value)),
          params: parseCreateBody(body.value, sent.ok ? sent.bytes : undefined),
        };
      });
      return sendJson(reply, presentCreated(opened.session));
    },
  );

  app.post(
    '/api/browser/close',
    { config: { auth: 'key-or-cookie', api: closeApi }, schema: { response: { 200: CloseResult } } },
    async (request) => {
      const body = jsonBody(request);
      const { browserId: id, idempotencyKey = undefined } = body.ok ? body.value : {};
      if (id === undefined && idempotencyKey !== undefined) {
        const key = parseIdempotencyKey(idempotencyKey);
        const closed = await unlessOurFault('closeFailed', () =>
          closeByKey(context, request.account.id, key),
        );
        const { sessionId, status } = closed;
        if (sessionId !== null) noteSession(request, { id: sessionId });
        return { browserId: sessionId, status };
      }
      if (typeof id !== 'string' || id === '') throw new ApiError('browserIdRequired');
      return unlessOurFault('closeFailed', async () => {
        const session = await ownSession(context, request, id);
        const status = await closeSession(context, session);
        return { browserId: session.id, status: status as SessionStatus };
      });
    },
  );

  app.get<{ Params: { id: string } }>(
    '/api/browser/:id/status',
    { config: { auth: 'key', asksWithKey: true, api: statusApi }, schema: { response: { 200: Session } } },
    async (request, reply) =>
      sendJson(reply, presentSession(await askOwnSession(context, request, request.params.id))),
  );

  app.post(
    '/api/browser/status/bulk',
    { config: { auth: 'key', api: bulkStatusApi }, schema: { response: { 200: BulkStatus } } },
    async (request, reply) => {
      const ids = parseBulkIds(jsonBody(request));
      const found = await listOwnSessions(context.db, {
        accountId: request.account.id,
        ids: ids.filter(isId),
        now: context.now(),
      });
      const shown = ids.map((id) => {
        const session = found.get(id);
        return session ? presentSession(session) : JSON.stringify({ browserId: id, status: 'NOT_FOUND' });
      });
      return sendJson(reply, `{"browsers":[${shown.join(',')}]}`);
    },
  );

  app.get(
    '/api/browsers',
    { config: { auth: 'key', api: listApi }, schema: { response: { 200: Type.Array(SessionListItem) } } },
    async (request) => {
      const sessions = await listActiveSessions(context.db, request.account.id);
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
        ? await unlessOurFault('creationFailedInGateway', () =>
            openSession(
              context,
              request.account,
              () => createRequest(request, parse),
              disconnectSignal(reply),
              request.span,
            ),
          )
        : await reconnectSession(context, request.account, sessionId);
    noteSession(request, opened.session);
    reply.header('x-session-id', opened.session.id);
    reply.header('x-ratelimit-limit', String(opened.limit ?? unlimitedCount));
    reply.header('x-ratelimit-remaining', String(opened.remaining ?? unlimitedCount));
    const viewer = vncUrl(opened.session);
    if (viewer) reply.header('x-vnc-url', viewer);
    return opened;
  }
}

/** Replaces failures of the gateway itself, above all of its store, by the contract's answer for the operation. */
async function unlessOurFault<T>(name: ErrorName, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiError && error.spec !== errors.internal
      ? error
      : new ApiError(name, { cause: error });
  }
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json);
}

/** Reads the id of the session to reconnect to. A malformed body, which is refused later, has none. */
function sessionIdOf(body: JsonBody): unknown {
  if (!body.ok) return undefined;
  const { browserParams } = body.value;
  return body.value['sessionId'] ?? (isObject(browserParams) ? browserParams['sessionId'] : undefined);
}

/** Parses the ids of a bulk status, distinct and in order. Some clients send the same ids under both names. */
function parseBulkIds(body: JsonBody): string[] {
  if (!body.ok) throw new ApiError('badRequest', { message: body.rule });
  const { browserIds, sessionIds } = body.value;
  const lists = [browserIds, sessionIds].filter((list) => list !== undefined && list !== null);
  const ids = [...new Set(lists.flat())];
  const isRight = lists.every(Array.isArray) && ids.every((id) => typeof id === 'string');
  if (!isRight || ids.length === 0 || ids.length > maxBulkIds) {
    throw new ApiError('badRequest', { message: `browserIds must be a list of 1 to ${maxBulkIds} ids` });
  }
  return ids as string[];
}

function createRequest(
  request: FastifyRequest,
  parse: () => Omit<CreateRequest, 'idempotencyKey'>,
): CreateRequest {
  const key = request.headers['idempotency-key'];
  const idempotencyKey = key === undefined ? undefined : parseIdempotencyKey(key);
  return { ...parse(), idempotencyKey };
}

/**
 * Whether Playwright's `connect` asks, or its test runner with `connectOptions`. Both speak a protocol of their own and
 * name what they want in headers, which `connectOverCDP` does not send.
 */
function isPlaywrightConnect({ headers }: FastifyRequest): boolean {
  return headers['x-playwright-browser'] !== undefined || headers['x-playwright-proxy'] !== undefined;
}

const useConnectOverCdp =
  "This URL speaks the Chrome DevTools Protocol. Use Playwright's chromium.connectOverCDP(), not connect() or the " +
  'connectOptions of its test runner. No browser was opened.';

function isWebSocketUpgrade(request: FastifyRequest): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}
