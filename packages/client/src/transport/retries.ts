import { ConnectionFailedError, SessionEndedError, TurnpikeError } from '../errors.ts';
import type { Purpose } from './answer-error.ts';
import { type Deadline, pause } from './deadline.ts';

const firstPauseMs = 250;

/**
 * How long to wait before a failed call is retried; undefined if that would not help. The service says which failures
 * pass: both 429s and 503s after retry-after, 500 and 502 (a create or a page only once). A page call that is under way
 * with the same key passes too.
 */
export function retryDelayMs(error: unknown, purpose: Purpose, retried: number): number | undefined {
  if (!(error instanceof TurnpikeError)) return undefined;
  const { statusCode = 0, retryAfter } = error;
  const pauseMs = retryAfter === undefined ? backOff(retried) : retryAfter * 1000;
  if (error instanceof ConnectionFailedError || statusCode === 429 || statusCode === 503) return pauseMs;
  if (statusCode === 500 || statusCode === 502 || statusCode === 504) {
    return (purpose === 'create' || purpose === 'page') && retried > 0 ? undefined : pauseMs;
  }
  if (purpose === 'page' && error.code === 'CONFLICT') return pauseMs;
  return undefined;
}

/** Exponential backoff with jitter, so that clients that failed together do not retry together. */
export const backOff = (retried: number): number => firstPauseMs * 2 ** retried * (1 + Math.random());

/** Retries a call until it succeeds, a retry would not help, or time or retries are used up: then throws the last error. */
export async function withRetries<T>(
  call: () => Promise<T>,
  { purpose, retries, deadline }: { purpose: Purpose; retries: number; deadline: Deadline },
): Promise<T> {
  let before: unknown;
  for (let retried = 0; ; retried++) {
    try {
      return await call();
    } catch (error) {
      // The page call with this key has ended without an answer: what went wrong is what its attempt told.
      if (before !== undefined && purpose === 'page' && error instanceof SessionEndedError) throw before;
      before ??= error;
      const pauseMs = retryDelayMs(error, purpose, retried);
      if (pauseMs === undefined || retried >= retries || pauseMs >= deadline.leftMs) throw error;
      await pause(pauseMs, deadline.signal);
      if (deadline.isOver) throw deadline.reason();
    }
  }
}
