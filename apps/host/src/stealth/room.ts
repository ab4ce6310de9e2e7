/** Counts the bytes that are held for a session, of which there may be so many. */
export interface ByteCount {
  /** Counts more, and returns true, if there is room. */
  take(bytes: number): boolean;
  /** Counts without asking; negative: no longer held. */
  add(bytes: number): void;
}

/** What a small object costs besides its texts, roughly. */
export const objectBytes = 300;

/** What is held for one CDP session. It is given back as a whole with the session. */
export class Room {
  readonly #count: ByteCount;
  #held = 0;

  constructor(count: ByteCount) {
    this.#count = count;
  }

  take(bytes: number): boolean {
    if (!this.#count.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#count.add(-bytes);
    this.#held -= bytes;
  }

  close(): void {
    this.give(this.#held);
  }
}
