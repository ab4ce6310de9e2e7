import type { PageAnswer, PageCall } from '@turnpike/contract/page/page-call';
import type { FastifyRequest } from 'fastify';
import { abandonSession, freeSessionKey } from '../creates/abandon-session.ts';
import type { Claim } from '../creates/idempotency.ts';
import { openForRequest } from '../creates/open-for-request.ts';
import type { ParsedCreate } from '../creates/parameters/parse-create.ts';
import { ApiError } from '../http/api-error.ts';
import { noteSession } from '../sessions/caller-session.ts';
import { closeSession } from '../sessions/close-session.ts';
import type { SessionRow } from '../store/tables.ts';
import type { PageContext } from './page-context.ts';

export interface LoadedPage {
  session: SessionRow;
  answer: PageAnswer;
}

/**
 * Opens a session for the request's account, loads and reads a page in it, and closes it. The close goes on after the
 * return.
 */
export async function runPage(
  context: PageContext,
  request: FastifyRequest,
  disconnected: AbortSignal,
  parsed: ParsedCreate,
  call: PageCall,
): Promise<LoadedPage> {
  return await inOwnSession(context, request, disconnected, parsed, (session) =>
    callPage(context, session, call, disconnected),
  );
}

/** Opens a session for the request's account, works in it, and closes it. Only a failure waits for the close. */
export async function inOwnSession<Answer>(
  context: PageContext,
  request: FastifyRequest,
  disconnected: AbortSignal,
  parsed: ParsedCreate,
  work: (session: SessionRow) => Promise<Answer>,
): Promise<{ session: SessionRow; answer: Answer }> {
  const { session, isRepeat } = await openForRequest(context, request, disconnected, parsed);
  noteSession(request, session);
  if (isRepeat)
    throw new ApiError('conflict', {
      message: 'A call with this Idempotency-Key is under way. Repeat this one in a moment.',
    });
  let answer: Answer;
  try {
    answer = await work(session);
  } catch (error) {
    // Before the answer: whoever repeats the call then starts anew.
    if (!disconnected.aborted) await closeAfterwards(context, session, parsed.ok ? parsed.claim : undefined);
    throw error;
  }
  // A client that has gone away closes it by itself.
  if (!disconnected.aborted) void closeAfterwards(context, session);
  return { session, answer };
}

/** Loads and reads a page in a session that runs. */
export async function callPage(
  context: PageContext,
  session: SessionRow,
  call: PageCall,
  signal: AbortSignal,
): Promise<PageAnswer> {
  const host = await context.findHost(session.host, session.host_boot);
  const answer = await host?.callPage(session.id, call, signal);
  if (!answer) throw new ApiError('pageSessionLost');
  return answer;
}

/** What cannot be closed now is left to the reapers. `claim`: of a call that has no answer, and may be repeated. */
async function closeAfterwards(context: PageContext, session: SessionRow, claim?: Claim): Promise<void> {
  try {
    await closeSession(context, session);
    if (claim) await freeSessionKey(context, claim, session);
  } catch {
    await abandonSession(context, session);
  }
}
