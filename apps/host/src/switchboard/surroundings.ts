import type { Report } from './orders.ts';
import type { Batch } from './outlet.ts';
import type { Poller } from './poller.ts';

/** What all lines of the thread share. */
export interface Surroundings {
  readonly poller: Poller;
  readonly batch: Batch;
  /** What is read goes here, and out again or elsewhere before anything else is read. */
  readonly buffer: Buffer;
  /** Told to the host at the end of the turn. */
  readonly reports: Report[];
}
