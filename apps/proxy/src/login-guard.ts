import { clientNetwork } from '@turnpike/tunnel/addresses/client-network';
import { Refusal } from './refusal.ts';

const firstDelayMs = 1000;
const maxDelayMs = 60_000;
/** Failures are forgotten after this time without another. */
const forgetMs = 900_000;
const maxEntries = 20_000;

/** Wrong logins without a delay. Each further one doubles the delay. */
const free = {
  /** One user name from one address. */
  pair: 10,
  /** One address with any user names. Many customers may share it. */
  address: 100,
  /** One user name from all addresses. After these, each address has one guess per delay instead of ten. */
  user: 100,
};

interface Failures {
  count: number;
  until: number;
  lastAt: number;
}

/**
 * Limits password guesses without locking anybody out: an address that guesses is delayed. A right password from another
 * address always works, and so does one that was right at the same address before.
 */
export class LoginGuard {
  readonly #failures = new Map<string, Failures>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Throws a 429 during a delay. */
  check(user: string, address: string): void {
    const now = this.#now();
    const from = clientNetwork(address);
    const until = Math.max(this.#waits(pairKey(user, from), now), this.#waits(addressKey(from), now));
    if (until <= now) return;
    const retryAfterSeconds = Math.ceil((until - now) / 1000);
    throw new Refusal(429, `too many wrong logins; try again in ${retryAfterSeconds} s`, {
      retryAfterSeconds,
      code: 'TOO_MANY_LOGINS',
    });
  }

  /** Counts a guess before its answer is known, so that concurrent guesses all count. */
  guessed(user: string, address: string): void {
    const from = clientNetwork(address);
    const ofUser = this.#add(userKey(user), Number.POSITIVE_INFINITY);
    this.#add(pairKey(user, from), ofUser > free.user ? 0 : free.pair);
    this.#add(addressKey(from), free.address);
  }

  /** Takes a guess back: the password was right, or could not be checked. */
  takeBack(user: string, address: string): void {
    const from = clientNetwork(address);
    for (const key of [userKey(user), pairKey(user, from), addressKey(from)]) {
      const failures = this.#failures.get(key);
      if (failures && failures.count > 1) failures.count -= 1;
      else this.#failures.delete(key);
    }
  }

  #waits(key: string, now: number): number {
    const failures = this.#failures.get(key);
    if (!failures) return 0;
    if (now - failures.lastAt < forgetMs) return failures.until;
    this.#failures.delete(key);
    return 0;
  }

  #add(key: string, freeCount: number): number {
    const now = this.#now();
    this.#waits(key, now);
    const failures = this.#failures.get(key) ?? { count: 0, until: 0, lastAt: now };
    failures.count += 1;
    failures.lastAt = now;
    const past = failures.count - freeCount;
    if (past > 0) failures.until = now + Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(past - 1, 16));
    this.#failures.delete(key); // Moves it to the end: the first entry is the oldest.
    this.#failures.set(key, failures);
    if (this.#failures.size > maxEntries) this.#failures.delete(this.#failures.keys().next().value ?? '');
    return failures.count;
  }
}

const pairKey = (user: string, from: string) => `pair ${from} ${user}`;
const addressKey = (from: string) => `address ${from}`;
const userKey = (user: string) => `user ${user}`;
