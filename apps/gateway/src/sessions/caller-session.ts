import { cdpIdPattern, sessionIdPattern } from '@turnpike/contract/ids';
import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { authenticated } from '../http/authentication.ts';
import type { SessionRow } from '../store/tables.ts';
import { findSession, findShownSession, type ShownSession } from './session-store.ts';

/** Either of a session's two. */
export const isId = (text: string): boolean => sessionIdPattern.test(text) || cdpIdPattern.test(text);

/** The caller's own session, by either id, while it is readable. What one may not read is not there. */
export async function ownSession(
  { db, now }: Pick<Gateway, 'db' | 'now'>,
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

/** The same for a request that is not authenticated yet, in one statement with that. */
export async function askOwnSession(
  { db, now }: Pick<Gateway, 'db' | 'now'>,
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

export function noteSession(request: FastifyRequest, session: Pick<SessionRow, 'id'>): void {
  request.logFields.sessionId = session.id;
}
