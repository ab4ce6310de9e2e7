import type { Share } from '../memory/byte-budget.ts';

/** What a CDP session takes, on both threads. The first are not counted: every session has some. */
const cdpSessionBytes = 1500;
const uncounted = 100;

/** Clients by their CDP sessions. */
export class SessionOwners<Client> {
  readonly #owners = new Map<string, Client>();
  readonly #share: Share;

  constructor(share: Share) {
    this.#share = share;
  }

  get(cdpSessionId: string): Client | undefined {
    return this.#owners.get(cdpSessionId);
  }

  set(cdpSessionId: string, client: Client): void {
    if (this.#owners.size >= uncounted && !this.#owners.has(cdpSessionId)) this.#share.add(cdpSessionBytes);
    this.#owners.set(cdpSessionId, client);
  }

  delete(cdpSessionId: string): void {
    const isCounted = this.#owners.delete(cdpSessionId) && this.#owners.size >= uncounted;
    if (isCounted) this.#share.add(-cdpSessionBytes);
  }

  /** Returns each client once. */
  clients(): Set<Client> {
    return new Set(this.#owners.values());
  }
}
