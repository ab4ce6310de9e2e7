import { SessionPage, type SessionStatus, sessionStatuses } from '@turnpike/contract/session';
import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { presentRecord } from './present-session.ts';
import { type Cursor, listSessions } from './session-store.ts';

const pageSize = { min: 1, max: 200, default: 50 };

/** The permanent record of an account's sessions. */
export function historyRoutes(app: FastifyInstance, { db, now }: Gateway): void {
  app.get('/user/api/sessions', { schema: { response: { 200: SessionPage } } }, async (request) => {
    const { limit, status, after } = parsePage(request.query as Record<string, unknown>);
    // One more than asked for tells whether there is a next page.
    const rows = await listSessions(db, {
      accountId: request.account.id,
      limit: limit + 1,
      ...(status ? { status } : {}),
      ...(after ? { after } : {}),
    });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      sessions: page.map((row) => presentRecord(row, now())),
      nextCursor:
        rows.length > limit && last ? encodeCursor({ createdAt: last.created_at, id: last.id }) : null,
    };
  });
}

function parsePage(query: Record<string, unknown>): {
  limit: number;
  status?: SessionStatus;
  after?: Cursor;
} {
  const { limit = String(pageSize.default), status, cursor } = query;
  const size = Number(limit);
  if (typeof limit !== 'string' || !/^\d{1,3}$/.test(limit) || size < pageSize.min || size > pageSize.max) {
    throw new ApiError('badRequest', {
      message: `limit must be an integer from ${pageSize.min} to ${pageSize.max}`,
    });
  }
  const known = sessionStatuses.find((candidate) => candidate === status);
  if (status !== undefined && !known) {
    throw new ApiError('badRequest', { message: `status must be one of ${sessionStatuses.join(', ')}` });
  }
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  return { limit: size, ...(known ? { status: known } : {}), ...(after ? { after } : {}) };
}

function encodeCursor({ createdAt, id }: Cursor): string {
  return Buffer.from(`${createdAt}.${id}`).toString('base64url');
}

function decodeCursor(text: unknown): Cursor {
  const decoded = typeof text === 'string' ? Buffer.from(text, 'base64url').toString() : '';
  const match = /^(\d{1,15})\.(br_[0-9a-f]{24})$/.exec(decoded);
  if (!match?.[1] || !match[2]) {
    throw new ApiError('badRequest', { message: 'cursor must be a nextCursor of an earlier page' });
  }
  return { createdAt: Number(match[1]), id: match[2] };
}
