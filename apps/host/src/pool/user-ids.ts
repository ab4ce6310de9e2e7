/**
 * The user ids that browsers run under, each one browser's until nothing is left of it. They belong to browsers
 * and not to seats: one that waits in the pool has its own already. So a few more than there are seats may be
 * in use, for browsers on their way out.
 */
export class UserIds {
  readonly #free: number[] = [];
  #next: number | undefined;

  /** Undefined: only root may give a browser another user id than the host's own. */
  constructor(first: number | undefined) {
    this.#next = first;
  }

  take(): number | undefined {
    const used = this.#free.shift();
    if (used !== undefined || this.#next === undefined) return used;
    return this.#next++;
  }

  giveBack(uid: number | undefined): void {
    if (uid !== undefined) this.#free.push(uid);
  }
}
