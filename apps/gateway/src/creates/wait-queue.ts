import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { accountsWithFreeSlot, dequeue, enqueue, type QueueEntry, renewEntries } from './wait-queue-store.ts';

const pollMs = 20;
/** How often a create tries again for a seat: only an attempt shows whether one is free. */
const retrySeatMs = 250;
const renewMs = 2000;

interface Waiter {
  entry: QueueEntry;
  forSeat: boolean;
  triedAt: number;
  /** Lets it try again. */
  wake: () => void;
}

/**
 * This gateway's creates that wait for a slot or a seat. The store decides whose turn it is, over all gateways. Of each
 * account only the first waiter here tries, and only when there may be something free. Polls only while somebody waits.
 */
export class WaitQueue implements AsyncDisposable {
  /** Identifies this run of this gateway. */
  readonly gatewayId = randomBytes(8).toString('hex');
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #now: () => number;
  /** By account, lowest ticket first. */
  readonly #waiters = new Map<string, Waiter[]>();
  /** Undefined while nobody waits. */
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #renewedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database, logger: Logger, now: () => number) {
    this.#db = db;
    this.#logger = logger;
    this.#now = now;
  }

  /** Resolves to true when it is worth trying again, and to false when the signal aborts. */
  async wait(entry: QueueEntry, forSeat: boolean, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (forSeat) await enqueue(this.#db, entry, 'seat', this.#now());
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => resolve(false);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#add({ entry, forSeat, triedAt: performance.now(), wake: () => resolve(true) });
    const worthTrying = await promise;
    signal.removeEventListener('abort', giveUp);
    return worthTrying;
  }

  /** Removes a create that got what it waited for or gave up, and wakes the next one of its account. */
  async leave(entry: QueueEntry): Promise<void> {
    const waiters = this.#waiters.get(entry.accountId) ?? [];
    const rest = waiters.filter((waiter) => waiter.entry.ticket !== entry.ticket);
    if (rest.length === 0) this.#waiters.delete(entry.accountId);
    else this.#waiters.set(entry.accountId, rest);
    if (this.#waiters.size === 0) this.#stopPolling();
    await dequeue(this.#db, entry);
    rest[0]?.wake();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopPolling();
    await this.#polling;
  }

  #startPolling(): void {
    this.#timer ??= setInterval(() => {
      this.#polling ??= this.#poll()
        .catch((error) =>
          this.#logger.warn({ err: error }, 'could not check for free slots; waiting creates go on waiting'),
        )
        .finally(() => {
          this.#polling = undefined;
        });
    }, pollMs);
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #add(waiter: Waiter): void {
    const { accountId, ticket } = waiter.entry;
    const others = (this.#waiters.get(accountId) ?? []).filter(({ entry }) => entry.ticket !== ticket);
    const index = others.findIndex(({ entry }) => entry.ticket > ticket);
    this.#waiters.set(accountId, others.toSpliced(index === -1 ? others.length : index, 0, waiter));
    this.#startPolling();
  }

  async #poll(): Promise<void> {
    const at = performance.now();
    if (at - this.#renewedAt > renewMs) {
      await renewEntries(this.#db, this.gatewayId, this.#now());
      this.#renewedAt = at;
    }
    const free = new Set(await accountsWithFreeSlot(this.#db, [...this.#waiters.keys()]));
    for (const [accountId, [first]] of this.#waiters) {
      if (!first || !free.has(accountId)) continue;
      if (first.forSeat && at - first.triedAt < retrySeatMs) continue;
      first.triedAt = at;
      first.wake();
    }
  }
}
