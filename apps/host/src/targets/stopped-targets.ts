import type { Controller } from '../chromium/controller.ts';

interface Stopped {
  type: string;
  cdpSessionIds: Set<string>;
}

/**
 * Targets that Chromium stopped before their first script, and that the host has not resumed yet. Any CDP session can
 * resume a renderer. So the host resumes a target together with the client that keeps it stopped, to let the client
 * set it up first, or at once where no client does.
 */
export class StoppedTargets {
  readonly #controller: Controller;
  readonly #isKeptStopped: (targetId: string, type: string) => boolean;
  readonly #onResumed: (targetId: string) => void;
  readonly #stopped = new Map<string, Stopped>();
  /** Those to be looked at when the browser has answered. */
  #unchecked = new Set<string>();
  #isChecking = false;

  /** `isKeptStopped` says whether a client keeps a target stopped. */
  constructor(
    controller: Controller,
    isKeptStopped: (targetId: string, type: string) => boolean,
    onResumed: (targetId: string) => void,
  ) {
    this.#controller = controller;
    this.#isKeptStopped = isKeptStopped;
    this.#onResumed = onResumed;
  }

  get size(): number {
    return this.#stopped.size;
  }

  add(targetId: string, type: string, cdpSessionId: string): void {
    const stopped = this.#stopped.get(targetId) ?? { type, cdpSessionIds: new Set() };
    this.#stopped.set(targetId, stopped);
    stopped.cdpSessionIds.add(cdpSessionId);
    this.resumeUnheld([targetId]);
  }

  /** Resumes a target in all of the host's CDP sessions: the browser process stops each of them separately. */
  resume(targetId: string): void {
    const stopped = this.#stopped.get(targetId);
    if (!stopped) return;
    this.#stopped.delete(targetId);
    for (const cdpSessionId of stopped.cdpSessionIds) {
      this.#controller.call('Runtime.runIfWaitingForDebugger', {}, { cdpSessionId }).catch(() => {}); // It is gone.
    }
    this.#onResumed(targetId);
  }

  /** The host's CDP session with the target has ended. */
  forget(targetId: string, cdpSessionId: string): void {
    const stopped = this.#stopped.get(targetId);
    stopped?.cdpSessionIds.delete(cdpSessionId);
    if (stopped?.cdpSessionIds.size === 0) this.#stopped.delete(targetId);
  }

  /** Resumes those of the targets that no client keeps stopped; undefined means of all. */
  resumeUnheld(targetIds: Iterable<string> = this.#stopped.keys()): void {
    for (const targetId of targetIds) if (this.#stopped.has(targetId)) this.#unchecked.add(targetId);
    if (this.#unchecked.size > 0 && !this.#isChecking) void this.#check();
  }

  /**
   * Clients are told of a target together with the host. Once the browser process has answered any call, it is known
   * which clients were. The call asks no renderer, so that none can delay it.
   */
  async #check(): Promise<void> {
    this.#isChecking = true;
    while (this.#unchecked.size > 0) {
      const targetIds = this.#unchecked;
      this.#unchecked = new Set();
      await this.#controller.call('Target.getTargetInfo', {}).catch(() => {}); // The browser is gone.
      for (const targetId of targetIds) {
        const stopped = this.#stopped.get(targetId);
        if (stopped && !this.#isKeptStopped(targetId, stopped.type)) this.resume(targetId);
      }
    }
    this.#isChecking = false;
  }
}
