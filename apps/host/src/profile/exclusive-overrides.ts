import type { Command } from '../chromium/protocol.ts';
import { clearExclusive, type ExclusiveMethod, exclusiveMethods } from './overrides.ts';

/**
 * What is known of an override in a target:
 * - sent: it was sent, and is not answered yet;
 * - owner: the target set it for its renderer;
 * - refused: another target, or a client, had set it for the renderer;
 * - cleared: it was cleared, so that a client can set its own.
 */
type State = 'sent' | 'owner' | 'refused' | 'cleared';

/** How many targets are tried at once for one that takes the place of an owner. */
const triedAtOnce = 8;
/** A renderer that takes longer than this is busy, and others are tried. */
const answerTimeoutMs = 2000;

/**
 * Keeps the overrides of which a renderer has one for all its targets. Which targets are in one renderer is not known.
 * But Chromium refuses an override that the renderer has from another target, so that the owners are known, of which
 * there are as many as renderers. Only they have to be cleared for a client. When one goes, only those that were refused
 * can take its place.
 */
export class ExclusiveOverrides<Target> {
  readonly #send: (target: Target, command: Command) => Promise<boolean>;
  readonly #set: (method: ExclusiveMethod) => Command;
  readonly #states = new Map(exclusiveMethods.map((method) => [method, new Map<Target, State>()]));
  /** Overrides that some renderer may have lost. */
  readonly #lost = new Set<ExclusiveMethod>();
  readonly #searching = new Set<ExclusiveMethod>();

  /** `send` resolves to whether the command was carried out. `set` makes the command that sets an override. */
  constructor(
    send: (target: Target, command: Command) => Promise<boolean>,
    set: (method: ExclusiveMethod) => Command,
  ) {
    this.#send = send;
    this.#set = set;
  }

  /** Sets the override in a target. Resolves when that is answered. */
  async set(target: Target, method: ExclusiveMethod): Promise<void> {
    const states = this.#of(method);
    states.set(target, 'sent');
    const isSet = await this.#send(target, this.#set(method));
    if (states.get(target) === 'sent') states.set(target, isSet ? 'owner' : 'refused');
  }

  /** Clears the override wherever it may be set. */
  clear(method: ExclusiveMethod): void {
    const states = this.#of(method);
    for (const [target, state] of states) {
      if (state === 'refused' || state === 'cleared') continue;
      states.set(target, 'cleared');
      void this.#send(target, clearExclusive(method));
    }
  }

  /** Sets it again where it was cleared, but for some targets: a client has set it there. */
  restoreCleared(method: ExclusiveMethod, isExcepted: (target: Target) => boolean): void {
    for (const [target, state] of this.#of(method)) {
      if (state === 'cleared' && !isExcepted(target)) void this.set(target, method);
    }
  }

  /** A target has gone. Its renderer may have had the overrides from it, and may have other targets. */
  detached(target: Target): void {
    for (const [method, states] of this.#states) {
      const state = states.get(target);
      states.delete(target);
      if (state === undefined || state === 'refused') continue;
      this.#lost.add(method);
      if (!this.#searching.has(method)) void this.#search(method);
    }
  }

  /** Finds a target that takes the place of one that has gone, if there is any in its renderer. */
  async #search(method: ExclusiveMethod): Promise<void> {
    this.#searching.add(method);
    while (this.#lost.delete(method)) {
      const states = this.#of(method);
      const refused = [...states].filter(([, state]) => state === 'refused').map(([target]) => target);
      for (let i = 0; i < refused.length; i += triedAtOnce) {
        const tried = refused.slice(i, i + triedAtOnce).filter((target) => states.get(target) === 'refused');
        const answered = Promise.all(tried.map((target) => this.set(target, method)));
        await Promise.race([answered, timeout()]);
        if (tried.some((target) => states.get(target) === 'owner')) break;
      }
    }
    this.#searching.delete(method);
  }

  #of(method: ExclusiveMethod): Map<Target, State> {
    return this.#states.get(method) as Map<Target, State>;
  }
}

function timeout(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, answerTimeoutMs).unref();
  });
}
