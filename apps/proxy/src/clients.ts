import type { MeteredConnection } from './meter.ts';
import { Refusal } from './refusal.ts';

export interface ClientLimits {
  /** Open connections of one account. */
  perAccount: number;
  /** Connections of one address that have not logged in yet. */
  newPerAddress: number;
}

/** Open connections: limits their number, and closes those of an account. */
export class Clients {
  readonly #limits: ClientLimits;
  readonly #newByAddress = new Map<string, number>();
  readonly #byAccount = new Map<string, Set<MeteredConnection>>();

  constructor(limits: ClientLimits) {
    this.#limits = limits;
  }

  /** Counts a new connection. False: there are too many. */
  add(client: MeteredConnection): boolean {
    const { address } = client;
    const count = (this.#newByAddress.get(address) ?? 0) + 1;
    if (count > this.#limits.newPerAddress) return false;
    this.#newByAddress.set(address, count);
    client.connection.onClose(() => this.#remove(client));
    return true;
  }

  /** Assigns a connection to an account. Throws when the account has too many. */
  logIn(client: MeteredConnection, accountId: string): void {
    const before = client.accountId;
    if (before === accountId) return;
    const members = this.#byAccount.get(accountId) ?? new Set();
    if (members.size >= this.#limits.perAccount) {
      throw new Refusal(429, `the account has ${members.size} connections open, which is its limit`, {
        retryAfterSeconds: 1,
      });
    }
    this.#remove(client);
    client.accountId = accountId;
    this.#byAccount.set(accountId, members.add(client));
  }

  get accountIds(): string[] {
    return [...this.#byAccount.keys()];
  }

  /** Closes an account's connections. */
  closeAccount(accountId: string): void {
    for (const client of this.#byAccount.get(accountId) ?? []) client.connection.destroy();
  }

  #remove(client: MeteredConnection): void {
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
