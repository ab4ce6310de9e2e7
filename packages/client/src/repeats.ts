import type { Purpose } from './answer-error.ts';
import { type Deadline, pause } from './deadline.ts';
import { ConnectionFailedError, TurnpikeError } from './errors.ts';

const firstPauseMs = 250;

/**
 * How long to wait before a call that failed is made again; undefined where that would not help. The service says
 * which failures pass: both 429s and 503s after retry-after, 500 and 502 (a create only once).
 */
export function pauseBeforeRepeat(error: unknown, purpose: Purpose, repeats: number): number | undefined {
  if (!(error instanceof TurnpikeError)) return undefined;
  const { statusCode = 0, retryAfter } = error;
  const pauseMs = retryAfter === undefined ? backOff(repeats) : retryAfter * 1000;
  if (error instanceof ConnectionFailedError || statusCode === 429 || statusCode === 503) return pauseMs;
  if (statusCode === 500 || statusCode === 502 || statusCode === 504) {
    return purpose === 'create' && repeats > 0 ? undefined : pauseMs;
  }
  return undefined;
}

/** Doubles, and is spread out so that clients that failed together do not come back together. */
export const backOff = (repeats: number): number => firstPauseMs * 2 ** repeats * (1 + Math.random());

/** Makes a call until it works, cannot be helped, or time or repeats are used up: then its last error stands. */
export async function withRepeats<T>(
  call: () => Promise<T>,
  { purpose, retries, deadline }: { purpose: Purpose; retries: number; deadline: Deadline },
): Promise<T> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await call();
    } catch (error) {
      const pauseMs = pauseBeforeRepeat(error, purpose, repeats);
      if (pauseMs === undefined || repeats >= retries || pauseMs >= deadline.leftMs) throw error;
      await pause(pauseMs, deadline.signal);
      if (deadline.isOver) throw deadline.reason();
    }
  }
}
