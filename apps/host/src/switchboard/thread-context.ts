import type { WriteBatch } from './channel/outlet.ts';
import type { Report } from './reports.ts';

/** What all pipes and clients of one thread share: the switchboard's own thread or, without native calls, the host's. */
export interface ThreadContext {
  readonly batch: WriteBatch;
  /**
   * Takes what is read, and is emptied before anything else is read. It is a part of its memory, not all of it, so that
   * nothing in it is mistaken for a message that has its memory to itself.
   */
  readonly readBuffer: Buffer;
  /** Goes to the host when the current events have been handled. */
  readonly reports: Report[];
  /** Has the host log an error that ends one pipe or one client. */
  reportError(error: unknown): void;
}
