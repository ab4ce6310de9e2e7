import type { ClientsState, PauseHolder } from '@turnpike/contract/host';

/** A holder that is not heard of for this long has gone. */
const leaseMs = 30_000;

/** A pause ends by itself after this time, whatever its holder says. */
const maxPauseMs = 600_000;

export type PauseListener = (change: 'paused' | 'resumed', by: string) => void;

/**
 * A person has the browser to themselves, and what clients send waits. Here it is decided who: one holder at a time,
 * until they resume, are not heard of any more, or have had it for long enough.
 */
export class ClientPause {
  readonly #pause: (isPaused: boolean) => Promise<void>;
  readonly #listeners: PauseListener[] = [];
  #current: { holder: PauseHolder; endsAt: number } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pause: (isPaused: boolean) => Promise<void>) {
    this.#pause = pause;
  }

  get isPaused(): boolean {
    return this.#current !== undefined;
  }

  get state(): ClientsState['pause'] {
    if (!this.#current) return undefined;
    const { holder, endsAt } = this.#current;
    return { holder, endsInMs: Math.max(0, Math.round(endsAt - performance.now())) };
  }

  onChange(listener: PauseListener): void {
    this.#listeners.push(listener);
  }

  /** Begins a pause, unless somebody has it. Resolves when what clients send waits. */
  async take(holder: PauseHolder): Promise<void> {
    if (this.#current) return;
    this.#current = { holder, endsAt: performance.now() + maxPauseMs };
    const isPaused = this.#pause(true);
    this.#tell('paused', holder);
    this.renew(holder.id);
    await isPaused;
  }

  /** Says that the holder is still there. A pause that is over is not begun again. */
  renew(holderId: string): void {
    if (this.#current?.holder.id !== holderId) return;
    const left = this.#current.endsAt - performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.resume(holderId), Math.min(left, leaseMs));
  }

  /** Passes on what waits, if it is this holder's pause. */
  resume(holderId: string): void {
    if (this.#current?.holder.id !== holderId) return;
    const { holder } = this.#current;
    this.#current = undefined;
    clearTimeout(this.#timer);
    void this.#pause(false);
    this.#tell('resumed', holder);
  }

  /** Ends it with the session. */
  close(): void {
    if (this.#current) this.resume(this.#current.holder.id);
  }

  #tell(change: 'paused' | 'resumed', { name }: PauseHolder): void {
    for (const listener of this.#listeners) listener(change, name);
  }
}
