import type { Connection } from './sockets/connection.ts';

export interface IdleLimits {
  /** Connections of one owner with the same key. */
  perKey: number;
  perOwner: number;
  inAll: number;
  idleMs: number;
}

/** Many servers close a connection after 5 seconds without a request. */
const usualLimits: IdleLimits = { perKey: 32, perOwner: 128, inAll: 2048, idleMs: 4000 };

/** One owner's connections, by key. */
interface Owned {
  byKey: Map<string, Connection[]>;
  count: number;
}

/**
 * Connections to targets that no client uses at the moment. They wait a few seconds for another request of the same
 * owner. One that receives anything meanwhile is destroyed.
 */
export class IdleConnections {
  readonly #limits: IdleLimits;
  readonly #byOwner = new Map<string, Owned>();
  #count = 0;
  #isClosed = false;

  constructor(limits: Partial<IdleLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
  }

  get count(): number {
    return this.#count;
  }

  /** Those who have a connection here. */
  get owners(): string[] {
    return [...this.#byOwner.keys()];
  }

  /** Keeps a connection, or destroys it where that is not safe or there are too many. */
  put(owner: string, key: string, connection: Connection): void {
    const { perKey, perOwner, inAll, idleMs } = this.#limits;
    const owned = this.#byOwner.get(owner) ?? { byKey: new Map<string, Connection[]>(), count: 0 };
    const same = owned.byKey.get(key) ?? [];
    const hasRoom = same.length < perKey && owned.count < perOwner && this.#count < inAll;
    // Those of a session with a limit of bytes (`isChecked`) are not shared.
    if (this.#isClosed || !hasRoom || !connection.isQuiet || connection.isChecked) {
      connection.destroy();
      return;
    }
    same.push(connection);
    owned.byKey.set(key, same);
    owned.count += 1;
    this.#byOwner.set(owner, owned);
    this.#count += 1;
    connection.idleTimeout(idleMs);
    connection.onArrival(() => {
      this.#remove(owner, key, connection);
      connection.destroy();
    });
  }

  /** Takes the connection that was used last: the other side will keep that the longest. */
  take(owner: string, key: string): Connection | undefined {
    const same = this.#byOwner.get(owner)?.byKey.get(key);
    for (let last = same?.at(-1); last; last = same?.at(-1)) {
      this.#remove(owner, key, last);
      last.onArrival(undefined);
      if (last.isQuiet) return last;
      last.destroy();
    }
    return undefined;
  }

  /** Destroys an owner's connections. */
  closeOwner(owner: string): void {
    const { byKey } = this.#byOwner.get(owner) ?? {};
    for (const [key, same] of byKey ?? []) {
      for (const connection of [...same]) {
        this.#remove(owner, key, connection);
        connection.onArrival(undefined);
        connection.destroy();
      }
    }
  }

  /** Destroys all connections, and those that are put here later. */
  close(): void {
    this.#isClosed = true;
    for (const owner of this.owners) this.closeOwner(owner);
  }

  #remove(owner: string, key: string, connection: Connection): void {
    const owned = this.#byOwner.get(owner);
    const same = owned?.byKey.get(key);
    const at = same?.lastIndexOf(connection) ?? -1;
    if (!owned || !same || at < 0) return;
    same.splice(at, 1);
    if (same.length === 0) owned.byKey.delete(key);
    owned.count -= 1;
    if (owned.count === 0) this.#byOwner.delete(owner);
    this.#count -= 1;
  }
}
