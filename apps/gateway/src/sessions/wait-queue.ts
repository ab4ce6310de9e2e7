import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../store/database.ts';
import { accountsWithFreeSlot, leaveLine, type Place, standInLine, stayAlive } from './wait-queue-store.ts';

const lookMs = 20;
/** A free seat shows only by trying. */
const trySeatMs = 250;
const stayAliveMs = 2000;

interface Waiter {
  place: Place;
  forSeat: boolean;
  triedAt: number;
  /** Lets it try again. */
  go: () => void;
}

/**
 * This gateway's creates that wait for a slot or a seat. Whose turn it is is decided in the store, over all
 * gateways; of each account only the first here asks, and only when there may be something to have.
 */
export class WaitingLine implements AsyncDisposable {
  /** Of this run of this gateway. */
  readonly gateway = randomBytes(8).toString('hex');
  readonly #db: Database;
  readonly #logger: Logger;
  readonly #now: () => number;
  readonly #lines = new Map<string, Waiter[]>();
  /** Undefined while nobody waits. */
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  #aliveAt = Number.NEGATIVE_INFINITY;

  constructor(db: Database, logger: Logger, now: () => number) {
    this.#db = db;
    this.#logger = logger;
    this.#now = now;
  }

  /** Resolves when it is worth asking again; false: the time is up. */
  async next(place: Place, forSeat: boolean, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (forSeat) await standInLine(this.#db, place, 'seat', this.#now());
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => resolve(false);
    signal.addEventListener('abort', giveUp, { once: true });
    this.#stand({ place, forSeat, triedAt: performance.now(), go: () => resolve(true) });
    const worthwhile = await promise;
    signal.removeEventListener('abort', giveUp);
    return worthwhile;
  }

  /** It has what it waited for, or wants it no more: the next one is first. */
  async leave(place: Place): Promise<void> {
    const line = this.#lines.get(place.accountId) ?? [];
    const rest = line.filter((waiter) => waiter.place.ticket !== place.ticket);
    if (rest.length === 0) this.#lines.delete(place.accountId);
    else this.#lines.set(place.accountId, rest);
    if (this.#lines.size === 0) this.#rest();
    await leaveLine(this.#db, place);
    rest[0]?.go();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#rest();
    await this.#turn;
  }

  #watch(): void {
    this.#timer ??= setInterval(() => {
      this.#turn ??= this.#look()
        .catch((error) => this.#logger.warn({ err: error }, 'waiting creates wait for the store'))
        .finally(() => {
          this.#turn = undefined;
        });
    }, lookMs);
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #stand(waiter: Waiter): void {
    const { accountId, ticket } = waiter.place;
    const others = (this.#lines.get(accountId) ?? []).filter(({ place }) => place.ticket !== ticket);
    const index = others.findIndex(({ place }) => place.ticket > ticket);
    this.#lines.set(accountId, others.toSpliced(index === -1 ? others.length : index, 0, waiter));
    this.#watch();
  }

  async #look(): Promise<void> {
    const at = performance.now();
    if (at - this.#aliveAt > stayAliveMs) {
      await stayAlive(this.#db, this.gateway, this.#now());
      this.#aliveAt = at;
    }
    const free = new Set(await accountsWithFreeSlot(this.#db, [...this.#lines.keys()]));
    for (const [accountId, [first]] of this.#lines) {
      if (!first || !free.has(accountId)) continue;
      if (first.forSeat && at - first.triedAt < trySeatMs) continue;
      first.triedAt = at;
      first.go();
    }
  }
}
