import { AsyncLocalStorage } from 'node:async_hooks';

/** Whom a thread works for: a session, a request, a connection. */
export interface WorkOwner {
  /** Names it in the log, such as `session br_0123`. */
  readonly workName: string;
  /** How long this thread has worked for it. */
  busyMs: number;
  /** Ends it: it has held the thread for so long that a watchdog interrupted it. */
  onStalled(): void;
}

const owners = new AsyncLocalStorage<WorkOwner>();
/** Whom the work is for that `workFor` runs now. */
let current: WorkOwner | undefined;
/** Counts the pieces of work. The same number a second later is the same piece. */
let pieces = 0;

/** Runs work for its owner and counts the time. What the work awaits is on the owner's account as well, without its time. */
export function workFor<T>(owner: WorkOwner, work: () => T): T {
  const outer = current;
  const startedAt = performance.now();
  current = owner;
  pieces += 1;
  try {
    return work();
  } finally {
    owner.busyMs += performance.now() - startedAt;
    current = outer;
  }
}

/** Runs work that goes on after it returns: what it awaits, and its timers, are the owner's too. */
export function ownedBy<T>(owner: WorkOwner, work: () => T): T {
  return owners.run(owner, () => workFor(owner, work));
}

/** Says what the thread does now. A watchdog asks in the middle of it. */
export function currentWork(): { owner: WorkOwner | undefined; piece: number } {
  return { owner: current ?? owners.getStore(), piece: pieces };
}

const listeners: (() => void)[] = [];

/** Calls a function after work was interrupted, for what is shared by all owners and may have been left half done. */
export function onInterrupted(listener: () => void): void {
  listeners.push(listener);
}

/** Call after work was interrupted: its own clean-up did not run. */
export function recoverFromInterruption(): void {
  current = undefined;
  for (const listener of listeners) listener();
}
