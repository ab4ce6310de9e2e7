import { CommanderError } from 'commander';
import {
  AuthError,
  CapacityError,
  ConcurrencyLimitError,
  ConnectionFailedError,
  PageError,
  ProxyError,
  RateLimitError,
  SessionEndedError,
  TurnpikeError,
  UsageCapError,
} from 'turnpike-client';
import { NotLoggedInError } from './account/credentials.ts';

/** Exit codes that scripts may rely on; docs/command-line.md has the same table. */
export const exitCodes = {
  other: 1,
  usage: 2,
  auth: 3,
  limit: 4,
  proxy: 5,
  capacity: 6,
  notFound: 7,
  noAnswer: 8,
  page: 9,
} as const;

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof AuthError || error instanceof NotLoggedInError) return exitCodes.auth;
  if (
    error instanceof ConcurrencyLimitError ||
    error instanceof RateLimitError ||
    error instanceof UsageCapError
  ) {
    return exitCodes.limit;
  }
  if (error instanceof PageError) return exitCodes.page;
  if (error instanceof ProxyError) return exitCodes.proxy;
  if (error instanceof CapacityError) return exitCodes.capacity;
  if (error instanceof ConnectionFailedError) return exitCodes.noAnswer;
  if (error instanceof SessionEndedError) return exitCodes.notFound;
  if (error instanceof TurnpikeError && error.statusCode === 404) return exitCodes.notFound;
  return exitCodes.other;
}
