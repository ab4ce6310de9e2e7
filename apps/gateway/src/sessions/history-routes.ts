import { SessionPage, type SessionStatus, sessionStatuses } from '@turnpike/contract/session';
import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { pageOf, parsePage } from '../store/time-page.ts';
import { presentRecord } from './present-session.ts';
import { historyApi } from './session-api.ts';
import { listSessions } from './session-store.ts';

/** The permanent record of an account's sessions. */
export function historyRoutes(app: FastifyInstance, { db, now }: Gateway): void {
  app.get(
    '/user/api/sessions',
    { config: { api: historyApi }, schema: { response: { 200: SessionPage } } },
    async (request) => {
      const query = request.query as Record<string, unknown>;
      const { limit, after } = parsePage(query);
      const status = parseStatus(query['status']);
      const rows = await listSessions(db, {
        accountId: request.account.id,
        limit: limit + 1,
        ...(status ? { status } : {}),
        ...(after ? { after } : {}),
      });
      const { page, nextCursor } = pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }));
      return { sessions: page.map((row) => presentRecord(row, now())), nextCursor };
    },
  );
}

function parseStatus(status: unknown): SessionStatus | undefined {
  const known = sessionStatuses.find((candidate) => candidate === status);
  if (status !== undefined && !known) {
    throw new ApiError('badRequest', { message: `status must be one of ${sessionStatuses.join(', ')}` });
  }
  return known;
}
