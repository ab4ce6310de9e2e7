import { accountPageRoutes } from '@turnpike/contract/dashboard/routes';
import { sessionNamePattern } from '@turnpike/contract/ids';
import { SessionPage, type SessionStatus, sessionStatuses } from '@turnpike/contract/session';
import { allPages, csvPageSize, sendCsvRows } from '../http/answers/csv.ts';
import { ApiError } from '../http/api-error.ts';
import { parseCursor, parsePage } from '../http/page-query.ts';
import { accountPage, largeAccountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import type { Context } from '../seams/context.ts';
import { ownSessionOfAnyAge } from './caller-session.ts';
import { presentRecord } from './present-session.ts';
import { presentDetail, presentRow } from './present-session-page.ts';
import { searchSessions } from './search-sessions.ts';
import { historyApi } from './session-api.ts';
import { sessionCsvHeader, sessionCsvRows } from './session-csv.ts';
import { parseHistoryQuery } from './session-query.ts';

/** The permanent record of an account's sessions, for the API and as the pages show it. */
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
        ...parseLabels(query),
        ...(after ? { after } : {}),
      });
      return { sessions: page.map((row) => presentRecord(row, now())), nextCursor };
    },
  );

  const { answer, send } = typedRoutes(app, accountPageRoutes, '/dashboard/api');

  answer('GET /sessions', accountPage, async ({ account, query }) => {
    const filter = parseHistoryQuery(query, account.id);
    const { page, nextCursor } = await searchSessions(db, filter);
    return { sessions: page.map((row) => presentRow(row, now())), nextCursor };
  });

  send('GET /sessions/csv', largeAccountPage, async ({ account, query }, reply) => {
    const filter = parseHistoryQuery({ ...query, limit: csvPageSize, cursor: undefined }, account.id);
    const pages = allPages((cursor) => searchSessions(db, { ...filter, ...parseCursor(cursor) }));
    return sendCsvRows(reply, 'sessions.csv', sessionCsvHeader, sessionCsvRows(pages, now));
  });

  answer('GET /sessions/:id', accountPage, async (request) =>
    presentDetail(await ownSessionOfAnyAge({ db }, request, request.params.id), now()),
  );
}

function parseLabels(query: Record<string, unknown>): { name?: string; tag?: string } {
  const given = Object.entries({ name: query['name'], tag: query['tag'] }).filter(([, text]) => text);
  for (const [name, text] of given)
    if (typeof text !== 'string' || !sessionNamePattern.test(text))
      throw new ApiError('badRequest', {
        message: `${name} must be 1 to 200 characters without control characters`,
      });
  return Object.fromEntries(given);
}

function parseStatus(status: unknown): SessionStatus | undefined {
  const known = sessionStatuses.find((candidate) => candidate === status);
  if (status !== undefined && !known) {
    throw new ApiError('badRequest', { message: `status must be one of ${sessionStatuses.join(', ')}` });
  }
  return known;
}
