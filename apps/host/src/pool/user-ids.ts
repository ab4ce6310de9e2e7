/**
 * User ids for browsers. A browser has its own until its last process is gone. Warm browsers have one too, and so do
 * browsers that are ending: a few more ids than seats may be in use.
 */
export class UserIds {
  readonly #free: number[] = [];
  #next: number | undefined;

  /** Returns undefined if the host is not root, and browsers run under its own user id. */
  constructor(first: number | undefined) {
    this.#next = first;
  }

  take(): number | undefined {
    const used = this.#free.shift();
    if (used !== undefined || this.#next === undefined) return used;
    return this.#next++;
  }

  release(uid: number | undefined): void {
    if (uid !== undefined) this.#free.push(uid);
  }
}
