import type { FilteredClient, MessageFilter } from './message-filter.ts';

const letterI = 0x69;

/**
 * Says when a browser that sleeps is needed, and counts commands that its clients wait for: a browser that sleeps would
 * not answer them. Only in a session with `standby`.
 */
export class StandbyWatch implements MessageFilter {
  /** The next message of a client is told. */
  isAsleep = false;
  readonly #onNeeded: () => void;
  readonly #onUnanswered: (count: number) => void;
  /** By CDP session, so that what a target that has gone leaves unanswered is forgotten with it. */
  readonly #unanswered = new Map<string, number>();
  #total = 0;

  constructor(onNeeded: () => void, onUnanswered: (count: number) => void) {
    this.#onNeeded = onNeeded;
    this.#onUnanswered = onUnanswered;
  }

  fromClient(client: FilteredClient, cdpSessionId: string | undefined): undefined {
    this.#count(cdpSessionId ?? client.rootCdpSessionId, 1);
    if (!this.isAsleep) return;
    this.isAsleep = false;
    this.#onNeeded();
  }

  fromBrowser(_client: FilteredClient, cdpSessionId: string, bytes: Buffer, start: number): undefined {
    // `{"id":`, as Chromium writes each answer. Events begin with `{"method":`.
    if (bytes[start + 2] === letterI) this.answered(cdpSessionId);
  }

  /** A command has its answer, from whomever. */
  answered(cdpSessionId: string): void {
    if (this.#unanswered.has(cdpSessionId)) this.#count(cdpSessionId, -1);
  }

  detached(cdpSessionId: string): void {
    this.#count(cdpSessionId, -(this.#unanswered.get(cdpSessionId) ?? 0));
  }

  #count(cdpSessionId: string, change: number): void {
    if (change === 0) return;
    const count = (this.#unanswered.get(cdpSessionId) ?? 0) + change;
    if (count === 0) this.#unanswered.delete(cdpSessionId);
    else this.#unanswered.set(cdpSessionId, count);
    this.#total += change;
    this.#onUnanswered(this.#total);
  }
}
