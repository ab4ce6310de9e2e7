import { CloseResult, CreatedSession, type SessionStatus } from '@turnpike/contract/session';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendJson } from '../http/answers/send-exactly.ts';
import { showWarnings } from '../http/answers/show-warnings.ts';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { isObject, type JsonBody, jsonBody } from '../http/json-body.ts';
import type { Routes } from '../http/routes.ts';
import { noteSession, ownSession } from '../sessions/caller-session.ts';
import { closeSession } from '../sessions/close-session.ts';
import { cdpUrl, presentCreated } from '../sessions/present-session.ts';
import {
  checkSpeaksCdp,
  checkSpeaksPlaywright,
  isWebSocketUpgrade,
  redirectToBrowser,
  redirectToPlaywright,
  showOpened,
} from './answer-connect.ts';
import { closeByKey } from './close-by-key.ts';
import { closeApi, connectApi, createApi, playwrightApi } from './create-api.ts';
import type { CreateContext } from './create-context.ts';
import { parseIdempotencyKey } from './idempotency.ts';
import { openForRequest, unlessOurFault } from './open-for-request.ts';
import type { RawParams } from './parameters/create-params.ts';
import { type ParsedCreate, parseConnect, parseCreate } from './parameters/parse-create.ts';
import { reconnectSession } from './reconnect-session.ts';

/** Opens, reconnects to and closes browsers. A close takes the key of a create, too. */
export function createRoutes(app: Routes, context: CreateContext): void {
  // A create that is refused is told too: the name that it lacks may be mistyped.
  const open = (request: FastifyRequest, reply: FastifyReply, parsed: ParsedCreate) => {
    showWarnings(reply, parsed.warnings);
    return openForRequest(context, request, disconnectSignal(reply), parsed);
  };

  app.get(
    '/connect',
    {
      // A HEAD would open a browser.
      exposeHeadRoute: false,
      config: { auth: 'key', plainTextErrors: true, keyInQuery: true, traced: true, api: connectApi },
    },
    async (request, reply) => {
      checkSpeaksCdp(request);
      const { sessionId } = request.query as RawParams;
      const opened = isGiven(sessionId)
        ? await reconnectSession(context, request.account, sessionId)
        : await open(request, reply, parseConnect(context, request));
      showOpened(request, reply, opened);
      if (isWebSocketUpgrade(request)) return redirectToBrowser(reply, opened);
      return reply.type('text/plain; charset=utf-8').send(cdpUrl(opened.session));
    },
  );

  app.get(
    '/playwright',
    {
      exposeHeadRoute: false,
      config: { auth: 'key', plainTextErrors: true, keyInQuery: true, traced: true, api: playwrightApi },
    },
    async (request, reply) => {
      checkSpeaksPlaywright(request);
      const { sessionId } = request.query as RawParams;
      const isReconnect = isGiven(sessionId);
      const opened = isReconnect
        ? await reconnectSession(context, request.account, sessionId)
        : await open(request, reply, parseConnect(context, request));
      showOpened(request, reply, opened);
      const redirected = redirectToPlaywright(reply, opened);
      if (redirected) return redirected;
      if (!isReconnect) await closeSession(context, opened.session);
      throw new ApiError('protocolNotOffered');
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
}

const isGiven = (sessionId: unknown): boolean => sessionId !== undefined && sessionId !== null;

/** Reads the id of the session to reconnect to. A malformed body, which is refused later, has none. */
function sessionIdOf(body: JsonBody): unknown {
  if (!body.ok) return undefined;
  const { browserParams } = body.value;
  return body.value['sessionId'] ?? (isObject(browserParams) ? browserParams['sessionId'] : undefined);
}
