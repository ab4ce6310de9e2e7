import type { Controller } from '../chromium/controller.ts';
import type { Targets } from '../targets/targets.ts';

const answerMs = 1000;

/** Knows the pages of a session, and asks which ones still load. */
export class BusyPages {
  readonly #controller: Controller;
  /** The host's CDP sessions with pages, and with frames that have a process of their own. */
  readonly #pages = new Set<string>();

  /** Call before the session's clients can open pages. */
  constructor(controller: Controller, targets: Targets) {
    this.#controller = controller;
    targets.on('attached', ({ type, cdpSessionId }) => {
      if (type === 'page' || type === 'iframe') this.#pages.add(cdpSessionId);
    });
    targets.on('detached', ({ cdpSessionId }) => void this.#pages.delete(cdpSessionId));
  }

  /** A page that does not answer, because a dialog or a debugger stops it, does not load. */
  async isLoading(): Promise<boolean> {
    const pages = [...this.#pages];
    return (await Promise.all(pages.map((cdpSessionId) => this.#loads(cdpSessionId)))).includes(true);
  }

  async #loads(cdpSessionId: string): Promise<boolean> {
    const question = { expression: 'document.readyState', returnByValue: true };
    const options = { cdpSessionId, timeoutMs: answerMs };
    try {
      const { result } = await this.#controller.call('Runtime.evaluate', question, options);
      return result.value === 'loading' || result.value === 'interactive';
    } catch {
      return false;
    }
  }
}
