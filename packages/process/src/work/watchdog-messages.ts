/** A thread beside the main one, which says in shared memory what it does. */
export interface ThreadToWatch {
  /** Node's id of the thread. */
  threadId: number;
  kernelThreadId: number;
  /** Shared: the number of the current piece of work, and whom it is for (0: nobody). */
  workWords: Int32Array;
}

export interface WatchdogData {
  mainKernelThreadId: number;
  /** Shared. The main thread copies the number of the last ping into it. */
  pong: Int32Array;
  /** Whether the main thread may be interrupted (`interruptible.ts`). */
  interruptsMain: boolean;
}

export type ToWatchdog = { type: 'watch'; thread: ThreadToWatch } | { type: 'forget'; threadId: number };

export type FromWatchdog =
  /** Asks the main thread to copy the number: then it comes back to its event loop. */
  | { type: 'ping'; number: number }
  /** The main thread was interrupted. It knows itself what it was doing. */
  | { type: 'mainStalled'; ms: number }
  /** The main thread has not come back for so long, and works for nobody that could be ended. */
  | { type: 'mainBusy'; ms: number }
  /** Another thread was interrupted while it worked for this owner. */
  | { type: 'threadStalled'; threadId: number; ownerId: number; ms: number };

/** The global function that the watchdog calls on the main thread, in the middle of its work. */
export const currentWorkSymbol = Symbol.for('turnpike.currentWork');
export const currentWorkExpression = "globalThis[Symbol.for('turnpike.currentWork')]()";
/** What it returns: the number of the piece of work, and whether somebody owns it. */
export type CurrentWork = `${number} ${'owned' | 'nobody'}`;
