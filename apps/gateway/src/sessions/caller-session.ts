import { cdpIdPattern, sessionIdPattern } from '@turnpike/contract/ids';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import { authenticated } from '../http/authentication.ts';
import type { Context } from '../seams/context.ts';
import type { SessionRow } from '../store/tables.ts';
import { findSession, findSessionById, findShownSession, type ShownSession } from './session-store.ts';

/** Tells whether a text has the form of a session id or a CDP id. */
export const isId = (text: string): boolean => sessionIdPattern.test(text) || cdpIdPattern.test(text);

/** Finds the caller's session by either id, while it is readable. One that the caller may not read is a 404. */
export async function ownSession(
  { db, now }: Pick<Context, 'db' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<SessionRow> {
  const session = isId(id)
    ? await findSession(db, { accountId: request.account.id, id, now: now() })
    : undefined;
  if (!session) throw new ApiError('sessionNotFound');
  noteSession(request, session);
  return session;
}

/** The same, however long ago it ended. */
export async function ownSessionOfAnyAge(
  { db }: Pick<Context, 'db'>,
  request: FastifyRequest,
  id: string,
): Promise<SessionRow> {
  const session = await findSessionById(db, id.replaceAll('\0', ''));
  const isOwn = session?.account_id === request.account.id && session.state !== 'STARTING';
  if (!isOwn) throw new ApiError('sessionNotFound');
  noteSession(request, session);
  return session;
}

/** Finds the session of a request that is not authenticated yet, and authenticates it in the same statement. */
export async function askOwnSession(
  { db, now }: Pick<Context, 'db' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<ShownSession> {
  const { session } = await authenticated(request, (keyHash) =>
    findShownSession(db, { keyHash, id: isId(id) ? id : '', now: now() }),
  );
  if (!session) throw new ApiError('sessionNotFound');
  noteSession(request, session);
  return session;
}

/** Adds the session to the request's log line. */
export function noteSession(request: FastifyRequest, session: Pick<SessionRow, 'id'>): void {
  request.logFields.sessionId = session.id;
}
