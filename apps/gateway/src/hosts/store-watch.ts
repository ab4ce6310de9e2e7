import { leaseMs } from '@turnpike/contract/host/heartbeat';

/**
 * Remembers since when this gateway has reached the store without a gap. A heartbeat that is old because the store, or
 * every gateway, was away says nothing about its host: hosts then get a whole lease to be heard of again.
 */
export class StoreWatch {
  #since: number | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;

  succeeded(now: number): void {
    const gapMs = performance.now() - this.#lastAt;
    if (this.#since === undefined || gapMs > leaseMs / 2) this.#since = now;
    this.#lastAt = performance.now();
  }

  failed(): void {
    this.#since = undefined;
  }

  /** Tells whether the store was reached throughout the last lease. */
  coversLease(now: number): boolean {
    return this.#since !== undefined && now - this.#since >= leaseMs;
  }
}
