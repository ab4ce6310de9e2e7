import { TimeSlice } from '@turnpike/process/work/time-slice';
import { clientNetwork } from '@turnpike/tunnel/addresses/client-network';
import type { MeteredConnection } from './meter.ts';
import { Refusal } from './refusal.ts';

export interface ClientLimits {
  /** Open connections of one account. */
  perAccount: number;
  /** Connections of one address that have not logged in yet. */
  newPerAddress: number;
}

/** Connections that share a limit and a part of the processor's time. */
interface Group {
  members: Set<MeteredConnection>;
  slice: TimeSlice;
}

type Groups = Map<string, Group>;

/** Open connections: limits their number and time, and closes those of an account. */
export class Clients {
  readonly #limits: ClientLimits;
  readonly #newByAddress: Groups = new Map();
  readonly #byAccount: Groups = new Map();

  constructor(limits: ClientLimits) {
    this.#limits = limits;
  }

  /** Counts a new connection. False: there are too many. */
  add(client: MeteredConnection): boolean {
    const from = clientNetwork(client.address);
    if (sizeOf(this.#newByAddress, from) >= this.#limits.newPerAddress) return false;
    join(this.#newByAddress, from, client);
    client.connection.onClose(() => this.#remove(client));
    return true;
  }

  /** Assigns a connection to an account. Throws when the account has too many. */
  logIn(client: MeteredConnection, accountId: string): void {
    const before = client.accountId;
    if (before === accountId) return;
    const count = sizeOf(this.#byAccount, accountId);
    if (count >= this.#limits.perAccount) {
      throw new Refusal(429, `the account has ${count} connections open, which is its limit`, {
        retryAfterSeconds: 1,
      });
    }
    this.#remove(client);
    client.accountId = accountId;
    join(this.#byAccount, accountId, client);
  }

  get accountIds(): string[] {
    return [...this.#byAccount.keys()];
  }

  /** Closes an account's connections. */
  closeAccount(accountId: string): void {
    for (const client of this.#byAccount.get(accountId)?.members ?? []) client.connection.destroy();
  }

  #remove(client: MeteredConnection): void {
    if (client.accountId === undefined) leave(this.#newByAddress, clientNetwork(client.address), client);
    else leave(this.#byAccount, client.accountId, client);
  }
}

function sizeOf(groups: Groups, key: string): number {
  return groups.get(key)?.members.size ?? 0;
}

function join(groups: Groups, key: string, client: MeteredConnection): void {
  const joined = groups.get(key) ?? { members: new Set(), slice: new TimeSlice() };
  groups.set(key, joined);
  joined.members.add(client);
  client.connection.slice = joined.slice;
}

function leave(groups: Groups, key: string, client: MeteredConnection): void {
  const left = groups.get(key);
  left?.members.delete(client);
  if (left?.members.size === 0) groups.delete(key);
}
