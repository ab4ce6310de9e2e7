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
  readonly #stopped = new Map<string, Stopped>();

  /** `isKeptStopped` says whether a client keeps a target stopped. */
  constructor(controller: Controller, isKeptStopped: (targetId: string, type: string) => boolean) {
    this.#controller = controller;
    this.#isKeptStopped = isKeptStopped;
  }

  add(targetId: string, type: string, cdpSessionId: string): void {
    const stopped = this.#stopped.get(targetId) ?? { type, cdpSessionIds: new Set() };
    this.#stopped.set(targetId, stopped);
    stopped.cdpSessionIds.add(cdpSessionId);
    void this.resumeUnheld();
  }

  /** Resumes a target in all of the host's CDP sessions: the browser process stops each of them separately. */
  resume(targetId: string): void {
    const stopped = this.#stopped.get(targetId);
    this.#stopped.delete(targetId);
    for (const cdpSessionId of stopped?.cdpSessionIds ?? []) {
      this.#controller.call('Runtime.runIfWaitingForDebugger', {}, { cdpSessionId }).catch(() => {}); // It is gone.
    }
  }

  forget(cdpSessionId: string): void {
    for (const [targetId, { cdpSessionIds }] of this.#stopped) {
      if (cdpSessionIds.delete(cdpSessionId) && cdpSessionIds.size === 0) this.#stopped.delete(targetId);
    }
  }

  /**
   * Resumes the targets that no client keeps stopped. Clients are told of a target together with the host. Once the
   * browser process has answered any call, it is known which clients were. The call asks no renderer, so that none can
   * delay it.
   */
  async resumeUnheld(): Promise<void> {
    if (this.#stopped.size === 0) return;
    const known = [...this.#stopped.keys()];
    await this.#controller.call('Target.getTargetInfo', {}).catch(() => {}); // The browser is gone.
    for (const targetId of known) {
      const stopped = this.#stopped.get(targetId);
      if (stopped && !this.#isKeptStopped(targetId, stopped.type)) this.resume(targetId);
    }
  }
}
