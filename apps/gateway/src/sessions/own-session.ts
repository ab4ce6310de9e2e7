import { cdpIdPattern, sessionIdPattern } from '@turnpike/contract/ids';
import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import type { SessionRow } from '../store/tables.ts';
import { findSession } from './session-store.ts';

/** The caller's own session, by either id, while it is readable. What one may not read is not there. */
export async function ownSession(
  { db, now }: Pick<Gateway, 'db' | 'now'>,
  request: FastifyRequest,
  id: string,
): Promise<SessionRow> {
  const known = sessionIdPattern.test(id) || cdpIdPattern.test(id);
  const session = known
    ? await findSession(db, { accountId: request.account.id, id, now: now() })
    : undefined;
  if (!session) throw new ApiError('sessionNotFound');
  noteSession(request, session);
  return session;
}

export function noteSession(request: FastifyRequest, session: SessionRow): void {
  request.learnt.sessionId = session.id;
}
