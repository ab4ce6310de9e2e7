import type { DriverAnswer, DriverCall } from '@turnpike/contract/host';
import { parseBoundedJson } from '@turnpike/process/bounded-json';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { abandonSession } from '../creates/abandon-session.ts';
import type { CreateContext } from '../creates/create-context.ts';
import { openForRequest } from '../creates/open-for-request.ts';
import { parseCreateOptions } from '../creates/parameters/parse-create.ts';
import { showWarnings } from '../http/answers/show-warnings.ts';
import { ApiError, badRequest } from '../http/api-error.ts';
import { authenticated, type FindAccount, keyInAuthorization } from '../http/authentication.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { isObject, jsonBody, rawBody } from '../http/json-body.ts';
import type { Routes } from '../http/routes.ts';
import { noteSession } from '../sessions/caller-session.ts';
import { closeSession } from '../sessions/close-session.ts';
import { protocolUrl } from '../sessions/present-session.ts';
import { findSessionByCdpId } from '../sessions/session-store.ts';
import type { SessionRow } from '../store/tables.ts';
import { followsRedirects } from './follows-redirects.ts';
import { type AskedSession, joinDriverId, readNewSession, splitDriverId } from './new-session.ts';

/** Capabilities may have files in base64. Commands that pass through the gateway are no larger either. */
const maxBodyBytes = 4 * 2 ** 20;

/** What the driver's own id takes the place of. */
const commandPath = /^(?:\/wd\/hub)?\/session\/[^/?]+/;

/** The standard prescribes the header (https://w3c.github.io/webdriver/#dfn-send-a-response). */
const common = { api: false, cacheControl: 'no-cache' } as const;

type CommandRoute = { Params: { id: string } };

/**
 * WebDriver of the W3C, at the addresses that its clients expect. New Session opens a session of ours, and a driver on
 * the session's host. The commands go to the host: by a redirect or, for clients that do not follow one, through here.
 * The id of a WebDriver session has the session's CDP id in it, and so is a secret that needs no key beside it.
 */
export function webdriverRoutes(app: Routes, context: CreateContext, findAccount: FindAccount): void {
  for (const prefix of ['', '/wd/hub']) {
    app.get(`${prefix}/status`, { config: { ...common, auth: 'none' } }, async () => ({
      value: { ready: !context.stopping.creating.aborted, message: 'Turnpike takes new sessions' },
    }));

    app.post(
      `${prefix}/session`,
      {
        config: {
          ...common,
          auth: 'token',
          traced: true,
          maxBodyBytes,
          webdriverError: 'session not created',
        },
      },
      async (request, reply) => {
        const body = jsonBody(request);
        const asked = body.ok ? readNewSession(body.value) : body;
        const key = 'rule' in asked ? undefined : asked.key;
        request.account = await authenticated(request, findAccount, keyOf(request, key));
        if ('rule' in asked) throw badRequest(asked.rule);
        return newSession(request, reply, asked);
      },
    );

    const command = {
      config: { ...common, auth: 'token', maxBodyBytes, webdriverError: 'unknown error' },
    } as const;

    app.delete<CommandRoute>(`${prefix}/session/:id`, command, async (request) => {
      const { session } = await findDriver(request);
      await closeSession(context, session);
      return { value: null };
    });

    for (const method of ['GET', 'POST', 'DELETE']) {
      const urls = [`${prefix}/session/:id/*`, ...(method === 'GET' ? [`${prefix}/session/:id`] : [])];
      for (const url of urls) {
        app.route({
          ...command,
          method,
          url,
          exposeHeadRoute: false,
          handler: (request, reply) => passCommand(request as FastifyRequest<CommandRoute>, reply),
        });
      }
    }
  }

  async function newSession(
    request: FastifyRequest,
    reply: FastifyReply,
    asked: AskedSession,
  ): Promise<FastifyReply> {
    const disconnected = disconnectSignal(reply);
    const parsed = parseCreateOptions(context, request, asked.options);
    showWarnings(reply, parsed.warnings);
    const { session } = await openForRequest(context, request, disconnected, parsed);
    noteSession(request, session);
    try {
      if (!protocolUrl(session, 'webdriver')) throw new ApiError('protocolNotOffered');
      const answer = await callDriver(
        session,
        { method: 'POST', path: '/session', body: asked.body },
        disconnected,
      );
      const started = driverSessionIn(answer);
      if (disconnected.aborted) throw new ApiError('internal', { cause: disconnected.reason });
      if (!started) {
        await closeSession(context, session);
        return send(reply, answer);
      }
      const { sessionId, capabilities } = started;
      return send(reply, {
        status: 200,
        body: JSON.stringify({ value: { sessionId: joinDriverId(session.cdp_id, sessionId), capabilities } }),
      });
    } catch (error) {
      const abandon = () => abandonSession(context, session);
      await (disconnected.aborted ? abandon() : closeSession(context, session).catch(abandon));
      throw error;
    }
  }

  async function passCommand(
    request: FastifyRequest<CommandRoute>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { session, driverId } = await findDriver(request);
    // As it was sent: a decoded path may have other slashes.
    const path = request.originalUrl.replace(commandPath, `/session/${driverId}`);
    if (followsRedirects(request.headers['user-agent']))
      return reply.redirect(`${protocolUrl(session, 'webdriver')}${path}`, 307);
    const sent = rawBody(request);
    if (!sent.ok) throw badRequest(`${sent.rule}. Send larger ones to the session's webdriverUrl.`);
    const body = sent.bytes.length > 0 ? sent.bytes.toString('utf8') : undefined;
    const { method } = request;
    return send(
      reply,
      await callDriver(session, { method, path, ...(body && { body }) }, disconnectSignal(reply)),
    );
  }

  async function findDriver(
    request: FastifyRequest<CommandRoute>,
  ): Promise<{ session: SessionRow; driverId: string }> {
    const ids = splitDriverId(request.params.id);
    const session = ids && (await findSessionByCdpId(context.db, ids.cdpId));
    if (!session) throw new ApiError('sessionNotFound');
    noteSession(request as FastifyRequest, session);
    if (session.state !== 'ACTIVE')
      throw new ApiError('sessionNotFound', { message: `Session is ${session.state}` });
    return { session, driverId: ids.driverId };
  }

  async function callDriver(
    session: SessionRow,
    call: DriverCall,
    signal: AbortSignal,
  ): Promise<DriverAnswer> {
    const host = await context.findHost(session.host, session.host_boot);
    const answer = await host?.callDriver(session.id, call, signal);
    if (!answer) throw new ApiError('sessionNotFound');
    return answer;
  }
}

function keyOf({ headers }: FastifyRequest, key = ''): string {
  const header = headers['x-api-key'];
  return header === undefined ? (keyInAuthorization(headers.authorization) ?? key) : String(header);
}

/** More than a driver says about its session. The answer comes out of the sandbox. */
const maxCapabilityBytes = 2 ** 18;

/** Returns undefined for an error of the driver's. */
function driverSessionIn({ status, body }: DriverAnswer): DriverSession | undefined {
  if (status !== 200) return undefined;
  if (body.length > maxCapabilityBytes)
    throw new ApiError('creationFailed', { because: 'the driver said too much' });
  const { value } = parseBoundedJson(body) as { value?: Partial<DriverSession> };
  const { sessionId = '', capabilities } = value ?? {};
  if (!/^[\w-]{1,64}$/.test(sessionId) || !isObject(capabilities))
    throw new ApiError('creationFailed', { because: 'the driver did not say its session' });
  return { sessionId, capabilities };
}

interface DriverSession {
  sessionId: string;
  capabilities: Record<string, unknown>;
}

/** Sends the driver's answer. An error in it is about the page or the command, and not the gateway's. */
function send(reply: FastifyReply, { status, body }: DriverAnswer): FastifyReply {
  reply.request.ownStatus = 200;
  return reply.code(status).type('application/json; charset=utf-8').send(body);
}
