import { type ErrorName, errors } from '@turnpike/contract/errors';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import type { Create } from './create-attempt.ts';
import type { CreateContext } from './create-context.ts';
import { openSession } from './open-session.ts';
import type { ParsedCreate } from './parameters/parse-create.ts';
import type { OpenedSession } from './reconnect-session.ts';

/** Opens a session for the request's account. It is given up when the client disconnects. */
export function openForRequest(
  context: CreateContext,
  { account, span }: FastifyRequest,
  disconnected: AbortSignal,
  parsed: ParsedCreate,
): Promise<OpenedSession> {
  const create: Create = { account, parsed, disconnected, span };
  return unlessOurFault('creationFailedInGateway', () => openSession(context, create));
}

/** Replaces failures of the gateway itself, above all of its store, by the contract's answer for the operation. */
export async function unlessOurFault<T>(name: ErrorName, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof ApiError && error.spec !== errors.internal
      ? error
      : new ApiError(name, { cause: error });
  }
}
