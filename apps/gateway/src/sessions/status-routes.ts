import { maxBulkIds } from '@turnpike/contract/create';
import { BulkStatus, Session, SessionListItem } from '@turnpike/contract/session';
import { Type } from 'typebox';
import { sendJson } from '../http/answers/send-exactly.ts';
import { ApiError } from '../http/api-error.ts';
import { objectBody } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import type { Context } from '../seams/context.ts';
import { listOwnSessions } from './bulk-status-store.ts';
import { askOwnSession, isId } from './caller-session.ts';
import { presentListItem, presentSession } from './present-session.ts';
import { bulkStatusApi, listApi, statusApi } from './session-api.ts';
import { listActiveSessions } from './session-store.ts';

/** Reads the account's sessions: one, some, and what runs now. */
export function statusRoutes(app: Routes, context: Pick<Context, 'db' | 'now'>): void {
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
      const ids = parseBulkIds(objectBody(request));
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
}

/** Parses the ids of a bulk status, distinct and in order. Some clients send the same ids under both names. */
function parseBulkIds({ browserIds, sessionIds }: Record<string, unknown>): string[] {
  const lists = [browserIds, sessionIds].filter((list) => list !== undefined && list !== null);
  const ids = [...new Set(lists.flat())];
  const isRight = lists.every(Array.isArray) && ids.every((id) => typeof id === 'string');
  if (!isRight || ids.length === 0 || ids.length > maxBulkIds) {
    throw new ApiError('badRequest', { message: `browserIds must be a list of 1 to ${maxBulkIds} ids` });
  }
  return ids as string[];
}
