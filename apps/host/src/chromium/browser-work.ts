import { TimeSlice } from '@turnpike/process/work/time-slice';
import type { WorkOwner } from '@turnpike/process/work/work';

/** The host's work for one browser and, once it has one, for its session. */
export class BrowserWork implements WorkOwner {
  busyMs = 0;
  /** Its share of the host's main thread. */
  readonly slice = new TimeSlice();
  sessionId: string | undefined;
  #end: (() => void) | undefined;
  #isStalled = false;

  get workName(): string {
    return this.sessionId === undefined ? 'a browser without a session' : `session ${this.sessionId}`;
  }

  /** Whether the work held the host's thread for too long. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  /** Sets what ends the browser. */
  endWith(end: () => void): void {
    this.#end = end;
  }

  onStalled(): void {
    this.#isStalled = true;
    this.#end?.();
  }
}
