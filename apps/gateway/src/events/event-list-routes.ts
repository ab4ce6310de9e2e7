import { EventsQuery } from '@turnpike/contract/dashboard/account-pages';
import { accountPageRoutes } from '@turnpike/contract/dashboard/routes';
import type { Event } from '@turnpike/contract/events';
import { Type } from 'typebox';
import { allPages, type CsvValue, csvPageSize, sendCsvRows } from '../http/answers/csv.ts';
import { ApiError } from '../http/api-error.ts';
import { parsePage } from '../http/page-query.ts';
import { parseWith } from '../http/parse-with.ts';
import { accountPage, largeAccountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import type { AccountRow } from '../store/tables.ts';
import type { EventContext } from './event-context.ts';
import { listEvents } from './event-store.ts';
import { presentEvent } from './present-event.ts';

const Filters = Type.Omit(EventsQuery, ['limit', 'cursor']);
const csvHeader = ['time', 'event', 'id', 'session', 'end_reason', 'billed_seconds'];

/** An account's events of the last 30 days. */
export function eventListRoutes(app: Routes, { db }: Pick<EventContext, 'db'>): void {
  const { answer, send } = typedRoutes(app, accountPageRoutes, '/dashboard/api');

  answer('GET /events', accountPage, async ({ account, query }) => {
    const { page, nextCursor } = await readPage(account, query);
    return { events: page, nextCursor };
  });

  send('GET /events/csv', largeAccountPage, async ({ account, query }, reply) => {
    parseWith(Filters, query);
    const pages = allPages((cursor) => readPage(account, { ...query, limit: csvPageSize, cursor }));
    return sendCsvRows(reply, 'events.csv', csvHeader, csvRows(pages));
  });

  async function readPage(account: AccountRow, { cursor, ...query }: Record<string, unknown>) {
    const { limit } = parsePage(query);
    const { type, session } = parseWith(Filters, query);
    const { rows, next } = await listEvents(db, {
      accountId: account.id,
      ...(type && { type }),
      ...(session && { sessionId: session }),
      before: cursor === undefined ? account.event_seq + 1 : parseSeq(cursor),
      limit,
    });
    return { page: rows.map(presentEvent), nextCursor: next === undefined ? null : String(next) };
  }
}

function parseSeq(cursor: unknown): number {
  if (typeof cursor === 'string' && /^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new ApiError('badRequest', { message: 'cursor must be a nextCursor of an earlier page' });
}

async function* csvRows(pages: AsyncIterable<readonly Event[]>): AsyncGenerator<CsvValue[][]> {
  for await (const page of pages) {
    yield page.map(({ id, type, timestamp, data }) => {
      const session = data as { browserId?: string; endReason?: string | null; billedSeconds?: number };
      return [
        timestamp,
        type,
        id,
        session.browserId ?? null,
        session.endReason ?? null,
        session.billedSeconds ?? null,
      ];
    });
  }
}
