import type { Protocol } from 'devtools-protocol';
import type { Browser } from './browser.ts';

/** The smallest of the pages whose scripts may change the browser's settings; it draws nothing. */
const url = 'chrome://settings/settings.js';

/**
 * A page of Chromium's settings, for those that neither a flag nor DevTools can change in a running browser. It must be
 * closed before clients connect.
 */
export class SettingsPage implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #targetId: string;
  readonly #cdpSessionId: string;

  private constructor(browser: Browser, targetId: string, cdpSessionId: string) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#cdpSessionId = cdpSessionId;
  }

  static async open(browser: Browser): Promise<SettingsPage> {
    const { controller } = browser;
    const close = ({ targetId }: { targetId: string }) =>
      void controller.call('Target.closeTarget', { targetId }).catch(() => {}); // Gone already.
    const page = await controller.call('Target.createTarget', { url }, { undo: close });
    try {
      const attach = { targetId: page.targetId, flatten: true };
      const { sessionId: cdpSessionId } = await controller.call('Target.attachToTarget', attach);
      controller.sessions.add(cdpSessionId);
      return new SettingsPage(browser, page.targetId, cdpSessionId);
    } catch (error) {
      close(page); // Detaches from it, too.
      throw error;
    }
  }

  async set(name: string, value: unknown, signal?: AbortSignal): Promise<void> {
    // Until the page has loaded, its document is an empty one. A script that waits there fails when the page arrives.
    const expression = `location.protocol === 'about:' ? new Promise(() => {}) : new Promise((resolve) => {
      chrome.settingsPrivate.setPref(${JSON.stringify(name)}, ${JSON.stringify(value)}, '', resolve);
    })`;
    const { result, exceptionDetails } = await this.#evaluate(expression, signal).catch(() =>
      this.#evaluate(expression, signal),
    );
    if (result.value === true) return;
    throw new Error(`The browser refused the setting ${name}: ${exceptionDetails?.exception?.description}`);
  }

  /** Resolves when the page is gone. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { controller, gone } = this.#browser;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const onDetached = ({ sessionId }: Protocol.Target.DetachedFromTargetEvent) => {
      if (sessionId === this.#cdpSessionId) resolve();
    };
    controller.on('Target.detachedFromTarget', onDetached);
    await controller.call('Target.closeTarget', { targetId: this.#targetId });
    await Promise.race([closed, gone]);
    controller.off('Target.detachedFromTarget', onDetached);
    controller.sessionEnded(this.#cdpSessionId);
  }

  #evaluate(expression: string, signal?: AbortSignal): Promise<Protocol.Runtime.EvaluateResponse> {
    const options = { cdpSessionId: this.#cdpSessionId, ...(signal && { signal }) };
    return this.#browser.controller.call('Runtime.evaluate', { expression, awaitPromise: true }, options);
  }
}
