import type { ClientTimes } from '@turnpike/contract/host';

/** Knows how many clients a session has, whatever protocol they speak, and since when it has had none. */
export class ClientPresence {
  #count = 0;
  /** By `performance.now()`. */
  #firstConnectedAt: number | undefined;
  #lastDisconnectedAt: number | undefined;

  get count(): number {
    return this.#count;
  }

  connected(): void {
    this.#count += 1;
    this.#firstConnectedAt ??= performance.now();
  }

  disconnected(): void {
    this.#count -= 1;
    this.#lastDisconnectedAt = performance.now();
  }

  /** Returns when clients were connected, seen from a moment by `performance.now()`. */
  times(at: number): ClientTimes {
    const ago = (time: number) => Math.max(0, Math.round(at - time));
    const [first, last] = [this.#firstConnectedAt, this.#lastDisconnectedAt];
    return {
      ...(first !== undefined && { connectedAgoMs: ago(first) }),
      ...(last !== undefined && this.#count === 0 && { disconnectedAgoMs: ago(last) }),
    };
  }
}
