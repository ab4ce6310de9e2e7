import { pipeCounters } from './reports.ts';

/** How long one session's messages are handled in a round before those of others are. */
const sliceMs = 2;

/** What is read at once: less where it takes long to handle, more where it does not. */
const [leastReadBytes, firstReadBytes] = [16 * 1024, 64 * 1024];
export const maxReadBytes = 256 * 1024;

/** Words in memory that a watchdog reads: how many pieces of work there were, and whose the current one is. */
export const workWords = { pieces: 0, pipeId: 1 } as const;
const nobody = 0;

/** One session's part of a thread's time. */
export class SessionTurn {
  readonly pipeId: number;
  /** How much may be read for it at once. */
  readBytes = firstReadBytes;
  /** What it has used of the round. */
  round = 0;
  usedMs = 0;
  /** Whether a read filled all the room that it had. */
  hasMore = false;
  readonly #counters: Float64Array;

  constructor(pipeId: number, counters: Float64Array) {
    this.pipeId = pipeId;
    this.#counters = counters;
  }

  add(ms: number): void {
    this.usedMs += ms;
    this.#counters[pipeCounters.busyMs] = (this.#counters[pipeCounters.busyMs] as number) + ms;
    if (ms > sliceMs) this.readBytes = Math.max(leastReadBytes, this.readBytes >> 2);
    else if (this.hasMore && ms < sliceMs / 4) this.readBytes = Math.min(maxReadBytes, this.readBytes * 2);
    this.hasMore = false;
  }
}

/**
 * Divides a thread's time among sessions. In each round every session has a slice; what it wants beyond that waits for
 * the next round, while others are served. Counts the time to the session that used it, and tells a watchdog whose
 * work it is.
 */
export class Turns {
  readonly #words: Int32Array;
  #round = 0;
  #startedAt = 0;

  constructor(words: Int32Array) {
    this.#words = words;
  }

  startRound(): void {
    this.#round += 1;
    this.#startedAt = performance.now();
  }

  /** Returns false where the session has used up its slice of this round. */
  begin(turn: SessionTurn): boolean {
    if (!this.hasTime(turn)) return false;
    this.#publish(turn.pipeId);
    return true;
  }

  hasTime(turn: SessionTurn): boolean {
    if (turn.round === this.#round) return turn.usedMs < sliceMs;
    turn.round = this.#round;
    turn.usedMs = 0;
    return true;
  }

  end(turn: SessionTurn): void {
    const now = performance.now();
    turn.add(now - this.#startedAt);
    this.#startedAt = now;
    this.#publish(nobody);
  }

  /** Runs work that cannot wait for a turn. It counts all the same. */
  run(turn: SessionTurn, work: () => void): void {
    this.#startedAt = performance.now();
    this.#publish(turn.pipeId);
    try {
      work();
    } finally {
      this.end(turn);
    }
  }

  #publish(pipeId: number): void {
    const words = this.#words;
    words[workWords.pipeId] = pipeId;
    words[workWords.pieces] = ((words[workWords.pieces] as number) + 1) | 0;
  }
}

/** Creates, in memory that other threads see, what a thread says about its work. */
export function newWorkWords(): Int32Array {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * Object.keys(workWords).length));
}
