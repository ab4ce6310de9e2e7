import type { Action } from './actions/action.ts';

/** A command without an answer so far. */
export interface PendingCommand {
  command: number;
  /** Empty: its result is not recorded. */
  method: string;
  at: number;
  tab: number | undefined;
  /** What it is part of. */
  action: Action | undefined;
}

/** The answers to older ones are not recorded. */
const maxPending = 5000;

/**
 * Commands without an answer, by the connection or CDP session that they were sent to. Its keys are ids that the host or
 * Chromium issued, never what a client made up.
 */
export class PendingCommands {
  readonly #byPlace = new Map<string, Map<number, PendingCommand>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(place: string, id: number, pending: PendingCommand): void {
    this.take(place, id);
    const known = this.#byPlace.get(place) ?? new Map<number, PendingCommand>();
    this.#byPlace.set(place, known.set(id, pending));
    this.#size += 1;
    if (this.#size > maxPending) this.#dropOldest();
  }

  take(place: string, id: number): PendingCommand | undefined {
    const known = this.#byPlace.get(place);
    const pending = known?.get(id);
    if (!known || !pending) return undefined;
    known.delete(id);
    this.#size -= 1;
    if (known.size === 0) this.#byPlace.delete(place);
    return pending;
  }

  /** The connection or CDP session is gone. */
  delete(place: string): void {
    this.#size -= this.#byPlace.get(place)?.size ?? 0;
    this.#byPlace.delete(place);
  }

  #dropOldest(): void {
    const [oldest] = this.#byPlace;
    const [id] = oldest?.[1].keys() ?? [];
    if (oldest && id !== undefined) this.take(oldest[0], id);
  }
}
