import { HostError } from '@turnpike/contract/host';
import { within } from '@turnpike/process/within';
import type { StartQueue, StartWish, Turn } from './start-queue.ts';

export interface TimedStart extends StartWish {
  /** Told at once when it is late: what it has begun takes a while to go, and the reason must not wait for that. */
  giveUp(reason: HostError): void;
}

/** Whoever waits for it gives up at its deadline: it must have been told before. */
const answerMs = 1000;

/**
 * Starts a browser when it is its turn. One that is late because it was not alone is refused like one that never came
 * to its turn; one that is late by itself has failed.
 */
export async function startInTime<Started>(
  queue: StartQueue,
  { giveUp, ...wish }: TimedStart,
  start: (signal: AbortSignal) => Promise<Started>,
): Promise<Started> {
  const turn = await queue.enter(wish);
  using bounds = within(Math.max(0, wish.deadline - performance.now() - answerMs), wish.signal);
  let late: HostError | undefined;
  bounds.signal.addEventListener('abort', () => {
    if (!bounds.isLate) return;
    late = lateError(turn);
    giveUp(late);
  });
  try {
    const started = await start(bounds.signal);
    turn.end('up');
    return started;
  } catch (error) {
    turn.end('failed');
    throw late ?? error;
  }
}

function lateError({ contended }: Turn): HostError {
  return contended
    ? new HostError('NO_SEAT', 'The machine starts more browsers than it can in time')
    : new HostError('START_FAILED', 'The browser did not start in time');
}
