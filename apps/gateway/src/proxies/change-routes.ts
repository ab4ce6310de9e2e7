import type { SessionProxyChange } from '@turnpike/contract/proxies';
import { Session, SessionChange } from '@turnpike/contract/session';
import type { FastifyReply } from 'fastify';
import { FairSlots, type SlotLimits } from '../http/answers/fair-slots.ts';
import { sendJson } from '../http/answers/send-exactly.ts';
import { badRequest } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { parseBody } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import { ownSession } from '../sessions/caller-session.ts';
import { presentSession, proxyLabel } from '../sessions/present-session.ts';
import { changedLabels } from '../sessions/session-labels.ts';
import { changeLabels } from '../sessions/session-store.ts';
import type { SessionRow } from '../store/tables.ts';
import { changeSessionApi, rotateApi } from './change-api.ts';
import type { ChangeContext } from './change-context.ts';
import { changeProxy, rotateProxy } from './change-proxy.ts';

/** Each change waits for others of its session, and for somebody else's proxy. */
const changeSlots: SlotLimits = {
  atOnce: Number.POSITIVE_INFINITY,
  perOwner: 8,
  waitingPerOwner: 64,
  maxWaitMs: 30_000,
  tooMany: 'busy',
};

/** Another proxy for a session that runs, and another name or other tags for any. */
export function changeRoutes(app: Routes, context: ChangeContext): void {
  const slots = new FairSlots(changeSlots);
  const move = async (session: SessionRow, reply: FastifyReply, change: SessionProxyChange) => {
    using _slot = await slots.take(session.account_id, disconnectSignal(reply));
    return await changeProxy(context, session, change);
  };
  app.patch<{ Params: { id: string } }>(
    '/api/browser/:id',
    {
      config: { auth: 'key-or-cookie', api: changeSessionApi },
      schema: { response: { 200: Session } },
    },
    async (request, reply) => {
      const session = await ownSession(context, request, request.params.id);
      const { proxy, ...change } = parseBody(request, SessionChange);
      const labels = changedLabels(session, change);
      if (proxy === undefined && !labels)
        throw badRequest('there is nothing to change: pass proxy, name or tags');
      // What can fail comes first.
      const moved = proxy === undefined ? session : await move(session, reply, { ...change, proxy });
      const changed = labels ? await changeLabels(context.db, session.id, labels) : moved;
      return answer(reply, changed ?? moved);
    },
  );

  app.post<{ Params: { id: string } }>(
    '/api/browser/:id/rotate',
    { config: { auth: 'key-or-cookie', api: rotateApi }, schema: { response: { 200: Session } } },
    async (request, reply) => {
      const session = await ownSession(context, request, request.params.id);
      using _slot = await slots.take(session.account_id, disconnectSignal(reply));
      return answer(reply, await rotateProxy(context, session));
    },
  );
}

function answer(reply: FastifyReply, session: SessionRow): FastifyReply {
  const label = proxyLabel(session);
  if (label !== undefined) reply.header('x-proxy', label);
  return sendJson(reply, presentSession(session));
}
