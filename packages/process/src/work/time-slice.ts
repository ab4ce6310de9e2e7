import { onInterrupted } from './work.ts';

/** How long one owner's work may go on before the others' does, and how long queued work may hold up I/O. */
const sliceMs = 1;
/**
 * What may be received in a slice: about 10 ms of reads, since to pause and resume a socket costs more than to read it.
 * A read costs as much as these bytes do.
 */
const sliceBytes = 32 * 1024 * 1024;
const bytesOfRead = 64 * 1024;

/**
 * One owner's share of a thread: a connection's, an address's, an account's or a session's. Whoever empties a buffer
 * asks before each unit of work. When an owner's time is up, the rest of its work waits until the other owners had
 * their time and the event loop has seen to I/O, however many connections the owner has.
 */
export class TimeSlice {
  /** Those with work that waits, each once. The first one's is done next. */
  static readonly #owners: TimeSlice[] = [];
  static #isRunning = false;
  static #pauseAt = 0;
  static #round = 0;
  /** Whether a slice has begun at once in this round of the event loop. */
  static #hasBegun = false;

  #endsAt = 0;
  #bytesLeft = sliceBytes;
  /** The last round of the event loop in which it had a slice. */
  #lastRound = -1;
  #isQueued = false;
  readonly #waiting: (() => void)[] = [];

  /** Returns undefined if the next unit of work may be done now. Otherwise resolves when it may. */
  next(): Promise<void> | undefined {
    const now = performance.now();
    // Also when others of this owner wait: going on costs less, and is over soon.
    if (now < this.#endsAt || this.#beginAtOnce(now)) return undefined;
    return new Promise((resolve) => this.whenNext(resolve));
  }

  /** Begins a slice if nobody waits, and the round still has time: to queue each new connection costs more than it does. */
  #beginAtOnce(now: number): boolean {
    if (TimeSlice.#isRunning || this.#lastRound === TimeSlice.#round) return false;
    if (!TimeSlice.#hasBegun) {
      TimeSlice.#hasBegun = true;
      TimeSlice.#pauseAt = now + sliceMs;
      setImmediate(TimeSlice.#endRound);
    } else if (now >= TimeSlice.#pauseAt) return false;
    this.#begin(now);
    return true;
  }

  #begin(now: number): void {
    this.#lastRound = TimeSlice.#round;
    this.#endsAt = now + sliceMs;
    this.#bytesLeft = sliceBytes;
  }

  /** Counts a read. True: no more should be read before `whenNext`. */
  charge(bytes: number): boolean {
    this.#bytesLeft -= bytes + bytesOfRead;
    return this.#bytesLeft < 0;
  }

  /** Runs a function when the next unit of work may be done. */
  whenNext(run: () => void): void {
    this.#waiting.push(run);
    if (this.#isQueued) return;
    this.#isQueued = true;
    TimeSlice.#owners.push(this);
    if (!TimeSlice.#isRunning) setImmediate(TimeSlice.#runOwners);
    TimeSlice.#isRunning = true;
  }

  static readonly #endRound = () => {
    TimeSlice.#hasBegun = false;
    TimeSlice.#round += 1;
  };

  static readonly #runOwners = () => {
    TimeSlice.#pauseAt = performance.now() + sliceMs;
    TimeSlice.#round += 1;
    TimeSlice.#runFirst();
  };

  static #runFirst(): void {
    const [first] = TimeSlice.#owners;
    TimeSlice.#isRunning = first !== undefined;
    if (!first) return;
    const now = performance.now();
    if (now >= TimeSlice.#pauseAt || first.#lastRound === TimeSlice.#round) {
      return void setImmediate(TimeSlice.#runOwners);
    }
    first.#begin(now);
    first.#runUnit();
  }

  #runUnit(): void {
    // A tick that a microtask adds comes after all other microtasks, and so after everything that the unit does at once.
    queueMicrotask(TimeSlice.#addTick);
    this.#waiting.shift()?.();
  }

  static {
    // The tick after the interrupted unit is lost, and with it everybody's next.
    onInterrupted(() => {
      if (TimeSlice.#isRunning) setImmediate(TimeSlice.#afterUnit);
    });
  }

  static readonly #addTick = () => process.nextTick(TimeSlice.#afterUnit);

  static readonly #afterUnit = () => {
    const [first] = TimeSlice.#owners;
    if (!first) return;
    first.#isQueued = first.#waiting.length > 0;
    const hasTime = first.#bytesLeft > 0 && performance.now() < first.#endsAt;
    if (first.#isQueued && hasTime) return first.#runUnit();
    TimeSlice.#owners.shift();
    if (first.#isQueued) TimeSlice.#owners.push(first);
    TimeSlice.#runFirst();
  };
}
