/** An account's share of the slots. */
interface Share<Item> {
  waiting: Item[];
  running: number;
  /** The number of its last start among all starts; of an account that came since, just before the last one. */
  servedAt: number;
}

/**
 * Orders what waits for a slot fairly by account: first the account with the fewest slots, then the one that was served
 * longest ago. Within an account, first come, first served. An account that asks for hundreds of starts delays another
 * by one of them.
 */
export class FairOrder<Item extends { accountId: string }> {
  /** Accounts that wait or run, in the order in which they came. */
  readonly #shares = new Map<string, Share<Item>>();
  #served = 0;
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    this.#share(item.accountId).waiting.push(item);
    this.#size += 1;
  }

  /** False: it does not wait any more. */
  remove(item: Item): boolean {
    const { waiting } = this.#share(item.accountId);
    const index = waiting.indexOf(item);
    if (index !== -1) {
      waiting.splice(index, 1);
      this.#size -= 1;
    }
    this.#forgetIdle(item.accountId);
    return index !== -1;
  }

  /** Takes the next one, which has a slot from now on. */
  take(): Item | undefined {
    const next = best(this.#shares.values());
    const item = next?.waiting.shift();
    if (!next || !item) return undefined;
    this.#size -= 1;
    this.#served += 1;
    Object.assign(next, { running: next.running + 1, servedAt: this.#served });
    return item;
  }

  /** A slot of the account is free again. */
  release(accountId: string): void {
    this.#share(accountId).running -= 1;
    this.#forgetIdle(accountId);
  }

  /** All that wait, in the order in which they are served if no slot is released. */
  list(): Item[] {
    const shares = Array.from(this.#shares.values(), (share) => ({ ...share, waiting: [...share.waiting] }));
    const order: Item[] = [];
    for (let next = best(shares); next; next = best(shares)) {
      order.push(...next.waiting.splice(0, 1));
      next.running += 1;
      next.servedAt = this.#served + order.length;
    }
    return order;
  }

  #share(accountId: string): Share<Item> {
    const share = this.#shares.get(accountId) ?? { waiting: [], running: 0, servedAt: this.#served - 0.5 };
    this.#shares.set(accountId, share);
    return share;
  }

  #forgetIdle(accountId: string): void {
    const share = this.#shares.get(accountId);
    if (share?.waiting.length === 0 && share.running === 0) this.#shares.delete(accountId);
  }
}

/** Whose turn it is. Returns undefined if nobody waits. */
function best<Item>(shares: Iterable<Share<Item>>): Share<Item> | undefined {
  let first: Share<Item> | undefined;
  for (const share of shares) {
    if (share.waiting.length === 0) continue;
    const order = first ? share.running - first.running || share.servedAt - first.servedAt : -1;
    if (order < 0) first = share;
  }
  return first;
}
