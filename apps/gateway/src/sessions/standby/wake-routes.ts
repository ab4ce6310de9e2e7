import { Session } from '@turnpike/contract/session';
import { sendJson } from '../../http/answers/send-exactly.ts';
import type { Routes } from '../../http/routes.ts';
import { ownSession } from '../caller-session.ts';
import { presentSession } from '../present-session.ts';
import { wakeApi } from '../session-api.ts';
import type { SessionContext } from '../session-context.ts';
import { wakeSession } from './wake-session.ts';

/** Wakes a session that is asleep. */
export function wakeRoutes(app: Routes, context: SessionContext): void {
  app.post<{ Params: { id: string } }>(
    '/api/browser/:id/wake',
    { config: { auth: 'key-or-cookie', api: wakeApi }, schema: { response: { 200: Session } } },
    async (request, reply) => {
      const session = await ownSession(context, request, request.params.id);
      return sendJson(reply, presentSession(await wakeSession(context, session)));
    },
  );
}
