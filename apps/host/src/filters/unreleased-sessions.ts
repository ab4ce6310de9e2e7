import type { FilteredClient, MessageFilter } from './message-filter.ts';

/** Lets messages to new CDP sessions wait until the host has released those: they may have to be told something first. */
export class UnreleasedSessions implements MessageFilter {
  readonly #unreleased = new Set<string>();

  add(cdpSessionId: string): void {
    this.#unreleased.add(cdpSessionId);
  }

  release(cdpSessionId: string): void {
    this.#unreleased.delete(cdpSessionId);
  }

  fromClient(_client: FilteredClient, cdpSessionId: string | undefined): 'wait' | undefined {
    if (this.#unreleased.size === 0 || cdpSessionId === undefined) return undefined;
    return this.#unreleased.has(cdpSessionId) ? 'wait' : undefined;
  }

  fromBrowser(): undefined {}

  detached(cdpSessionId: string): void {
    this.#unreleased.delete(cdpSessionId);
  }
}
