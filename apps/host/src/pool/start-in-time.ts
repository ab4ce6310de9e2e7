import { HostError } from '@turnpike/contract/host';
import { within } from '@turnpike/process/within';
import type { StartQueue, StartRequest, StartSlot } from './start-queue.ts';

export interface TimedStart extends StartRequest {
  /** Called as soon as the start is late. Cancelling it takes a while, and the answer must not wait for that. */
  giveUp(reason: HostError): void;
}

/** The caller gives up at the deadline, so it has to be told this much earlier. */
const answerMs = 1000;

/**
 * Starts a browser when a slot is free. A start that is late because of others is refused with NO_SEAT, like one that
 * got no slot. One that is late by itself has failed.
 */
export async function startInTime<Started>(
  queue: StartQueue,
  { giveUp, ...request }: TimedStart,
  start: (signal: AbortSignal) => Promise<Started>,
): Promise<Started> {
  const slot = await queue.acquire(request);
  using bounds = within(Math.max(0, request.deadline - performance.now() - answerMs), request.signal);
  let late: HostError | undefined;
  bounds.signal.addEventListener('abort', () => {
    if (!bounds.isLate) return;
    late = lateError(slot);
    giveUp(late);
  });
  try {
    const started = await start(bounds.signal);
    slot.release('up');
    return started;
  } catch (error) {
    slot.release('failed');
    throw late ?? error;
  }
}

function lateError({ contended }: StartSlot): HostError {
  return contended
    ? new HostError('NO_SEAT', 'The machine starts more browsers than it can start in time')
    : new HostError('START_FAILED', 'The browser did not start in time');
}
