import type { Controller } from '../chromium/controller.ts';

interface Stopped {
  type: string;
  sessionIds: Set<string>;
}

/**
 * Targets that Chromium stopped before their first script, and that the host has not let run yet. A renderer
 * runs at the first word of any session, so the host does not speak before a client that wants to set something
 * up first: it runs a target with the client's own word, or at once where no client keeps it stopped.
 */
export class StoppedTargets {
  readonly #controller: Controller;
  readonly #isKept: (targetId: string, type: string) => boolean;
  readonly #stopped = new Map<string, Stopped>();

  /** `isKept` tells whether a client keeps a target stopped. */
  constructor(controller: Controller, isKept: (targetId: string, type: string) => boolean) {
    this.#controller = controller;
    this.#isKept = isKept;
  }

  add(targetId: string, type: string, sessionId: string): void {
    const stopped = this.#stopped.get(targetId) ?? { type, sessionIds: new Set() };
    this.#stopped.set(targetId, stopped);
    stopped.sessionIds.add(sessionId);
    void this.reconsider();
  }

  /** Releases the host's own hold; each session has one in the browser process. */
  run(targetId: string): void {
    const stopped = this.#stopped.get(targetId);
    this.#stopped.delete(targetId);
    for (const sessionId of stopped?.sessionIds ?? []) {
      this.#controller.call('Runtime.runIfWaitingForDebugger', {}, sessionId).catch(() => {}); // It is gone.
    }
  }

  forget(sessionId: string): void {
    for (const [targetId, { sessionIds }] of this.#stopped) {
      if (sessionIds.delete(sessionId) && sessionIds.size === 0) this.#stopped.delete(targetId);
    }
  }

  /**
   * Runs what no client keeps stopped. Clients hear of a target when the host does: once the browser process has
   * answered anything at all, it is known which of them did. No renderer is asked, so none can delay it.
   */
  async reconsider(): Promise<void> {
    if (this.#stopped.size === 0) return;
    const known = [...this.#stopped.keys()];
    await this.#controller.call('Target.getTargetInfo').catch(() => {}); // The browser is gone.
    for (const targetId of known) {
      const stopped = this.#stopped.get(targetId);
      if (stopped && !this.#isKept(targetId, stopped.type)) this.run(targetId);
    }
  }
}
