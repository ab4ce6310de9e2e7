import type { Report } from './orders.ts';
import type { Batch } from './outlet.ts';
import type { Poller } from './poller.ts';

/** What all lines of the thread share. */
export interface ThreadContext {
  readonly poller: Poller;
  readonly batch: Batch;
  /**
   * What is read goes here, and out again or elsewhere before anything else is read. It is a part of its memory, not
   * all of it, so that nothing in it is taken for a message that has its memory to itself.
   */
  readonly buffer: Buffer;
  /** Told to the host at the end of the turn. */
  readonly reports: Report[];
  /** An error that ends one line or one caller: the host logs it. */
  fault(about: { line: number } | { caller: number } | undefined, error: unknown): void;
}
