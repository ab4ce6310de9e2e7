import { SessionPage, type SessionStatus, sessionStatuses } from '@turnpike/contract/session';
import { ApiError } from '../http/api-error.ts';
import { parsePage } from '../http/page-query.ts';
import type { Routes } from '../http/routes.ts';
import type { Context } from '../seams/context.ts';
import { presentRecord } from './present-session.ts';
import { searchSessions } from './search-sessions.ts';
import { historyApi } from './session-api.ts';

/** The permanent record of an account's sessions. */
export function historyRoutes(app: Routes, { db, now }: Pick<Context, 'db' | 'now'>): void {
  app.get(
    '/user/api/sessions',
    { config: { auth: 'key', api: historyApi }, schema: { response: { 200: SessionPage } } },
    async (request) => {
      const query = request.query as Record<string, unknown>;
      const { limit, after } = parsePage(query);
      const status = parseStatus(query['status']);
      const { page, nextCursor } = await searchSessions(db, {
        accountId: request.account.id,
        limit,
        ...(status ? { status } : {}),
        ...(after ? { after } : {}),
      });
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
