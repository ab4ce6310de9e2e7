/** Taken items leave the list when there are this many: to move the rest each time would cost more. */
const maxTaken = 256;

/** A list that is added to at its end and taken from at its beginning. */
export class Fifo<T> {
  readonly #items: (T | undefined)[] = [];
  /** Those before it are taken. */
  #next = 0;

  get isEmpty(): boolean {
    return this.#next === this.#items.length;
  }

  add(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    if (this.isEmpty) return undefined;
    const item = this.#items[this.#next];
    this.#items[this.#next] = undefined; // What it holds can be large.
    this.#next += 1;
    if (this.isEmpty || this.#next === maxTaken) {
      this.#items.splice(0, this.#next);
      this.#next = 0;
    }
    return item;
  }
}
