import { unlimitedCount } from '@turnpike/contract/account';
import { type ErrorName, errors } from '@turnpike/contract/errors';
import { CloseResult, CreatedSession, type SessionStatus } from '@turnpike/contract/session';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/answers/send-exactly.ts';
import { ApiError, badRequest } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { isObject, type JsonBody, jsonBody } from '../http/json-body.ts';
import type { Routes } from '../http/routes.ts';
import { noteSession, ownSession } from '../sessions/caller-session.ts';
import { closeSession } from '../sessions/close-session.ts';
import { cdpUrl, presentCreated, vncUrl } from '../sessions/present-session.ts';
import { closeByKey } from './close-by-key.ts';
import { closeApi, connectApi, createApi } from './create-api.ts';
import type { Create } from './create-attempt.ts';
import type { CreateContext } from './create-context.ts';
import type { RawParams } from './create-params.ts';
import { parseIdempotencyKey } from './idempotency.ts';
import { openSession } from './open-session.ts';
import { type ParsedCreate, parseConnect, parseCreate } from './parse-create.ts';
import { type OpenedSession, reconnectSession } from './reconnect-session.ts';

/** Opens, reconnects to and closes browsers. A close takes the key of a create, too. */
export function createRoutes(app: Routes, context: CreateContext): void {
  app.get(
    '/connect',
    {
      // A HEAD would open a browser.
      exposeHeadRoute: false,
      config: { auth: 'key', plainTextErrors: true, keyInQuery: true, traced: true, api: connectApi },
    },
    async (request, reply) => {
      if (isPlaywrightConnect(request)) throw badRequest(useConnectOverCdp);
      const { sessionId } = request.query as RawParams;
      const opened = isGiven(sessionId)
        ? await reconnectSession(context, request.account, sessionId)
        : await open(request, reply, parseConnect(context, request));
      showOpened(request, reply, opened);
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
      const sessionId = sessionIdOf(body);
      const opened = isGiven(sessionId)
        ? await reconnectSession(context, request.account, sessionId)
        : await open(request, reply, parseCreate(context, request, body));
      showOpened(request, reply, opened);
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

  function open(request: FastifyRequest, reply: FastifyReply, parsed: ParsedCreate): Promise<OpenedSession> {
    const { account, span } = request;
    const create: Create = { account, parsed, disconnected: disconnectSignal(reply), span };
    return unlessOurFault('creationFailedInGateway', () => openSession(context, create));
  }
}

const isGiven = (sessionId: unknown): boolean => sessionId !== undefined && sessionId !== null;

/** Sets the headers of an answer with a session. */
function showOpened(request: FastifyRequest, reply: FastifyReply, opened: OpenedSession): void {
  noteSession(request, opened.session);
  reply.header('x-session-id', opened.session.id);
  reply.header('x-ratelimit-limit', String(opened.limit ?? unlimitedCount));
  reply.header('x-ratelimit-remaining', String(opened.remaining ?? unlimitedCount));
  const viewer = vncUrl(opened.session);
  if (viewer) reply.header('x-vnc-url', viewer);
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

/** Reads the id of the session to reconnect to. A malformed body, which is refused later, has none. */
function sessionIdOf(body: JsonBody): unknown {
  if (!body.ok) return undefined;
  const { browserParams } = body.value;
  return body.value['sessionId'] ?? (isObject(browserParams) ? browserParams['sessionId'] : undefined);
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
