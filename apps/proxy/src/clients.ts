import type { MeteredConnection } from './meter.ts';
import { Refusal } from './refusal.ts';

export interface ClientLimits {
  /** Connections of one account that are open at once. */
  perAccount: number;
  /** Connections from one address that have not logged in yet; each has a deadline for it. */
  newPerAddress: number;
}

/** Who is connected: bounds how many, and finds an account's connections to cut them. */
export class Clients {
  readonly #limits: ClientLimits;
  readonly #newByAddress = new Map<string, number>();
  readonly #byAccount = new Map<string, Set<MeteredConnection>>();

  constructor(limits: ClientLimits) {
    this.#limits = limits;
  }

  /** Whether a new connection may stay. */
  arrive(client: MeteredConnection): boolean {
    const { address } = client;
    const count = (this.#newByAddress.get(address) ?? 0) + 1;
    if (count > this.#limits.newPerAddress) return false;
    this.#newByAddress.set(address, count);
    client.connection.onClose(() => this.#leave(client));
    return true;
  }

  /** From here on it is the account's. Throws where that has too many. */
  logIn(client: MeteredConnection, accountId: string): void {
    const before = client.accountId;
    if (before === accountId) return;
    const members = this.#byAccount.get(accountId) ?? new Set();
    if (members.size >= this.#limits.perAccount) {
      throw new Refusal(429, `the account has ${members.size} connections open, which is its limit`, {
        retryAfterSeconds: 1,
      });
    }
    this.#removeFromPlace(client);
    client.accountId = accountId;
    this.#byAccount.set(accountId, members.add(client));
  }

  get accountIds(): string[] {
    return [...this.#byAccount.keys()];
  }

  /** Breaks off what an account has open. */
  cut(accountId: string): void {
    for (const client of this.#byAccount.get(accountId) ?? []) client.connection.destroy();
  }

  #leave(client: MeteredConnection): void {
    this.#removeFromPlace(client);
  }

  #removeFromPlace(client: MeteredConnection): void {
    if (client.accountId === undefined) {
      const count = (this.#newByAddress.get(client.address) ?? 1) - 1;
      if (count > 0) this.#newByAddress.set(client.address, count);
      else this.#newByAddress.delete(client.address);
      return;
    }
    const members = this.#byAccount.get(client.accountId);
    members?.delete(client);
    if (members?.size === 0) this.#byAccount.delete(client.accountId);
  }
}
