import type { Browser } from './browser.ts';

/** The smallest of the pages whose scripts may change the browser's settings; it draws nothing. */
const url = 'chrome://settings/settings.js';

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: { exception?: { description?: string } };
}

/**
 * A page of the browser's own settings, for those that neither a switch nor the protocol changes once it is up.
 * It is to be closed before anyone looks.
 */
export class SettingsPage implements AsyncDisposable {
  readonly #browser: Browser;
  readonly #targetId: string;
  readonly #sessionId: string;

  private constructor(browser: Browser, targetId: string, sessionId: string) {
    this.#browser = browser;
    this.#targetId = targetId;
    this.#sessionId = sessionId;
  }

  static async open(browser: Browser): Promise<SettingsPage> {
    const { controller } = browser;
    const { targetId } = await controller.call<{ targetId: string }>('Target.createTarget', { url });
    const { sessionId } = await controller.call<{ sessionId: string }>('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    controller.sessions.add(sessionId);
    return new SettingsPage(browser, targetId, sessionId);
  }

  async set(name: string, value: unknown): Promise<void> {
    // A page that is not there yet is an empty one, whose script ends with an error when it comes.
    const expression = `location.protocol === 'about:' ? new Promise(() => {}) : new Promise((resolve) => {
      chrome.settingsPrivate.setPref(${JSON.stringify(name)}, ${JSON.stringify(value)}, '', resolve);
    })`;
    const { result, exceptionDetails } = await this.#evaluate(expression).catch(() =>
      this.#evaluate(expression),
    );
    if (result.value === true) return;
    throw new Error(`The browser does not take ${name}: ${exceptionDetails?.exception?.description}`);
  }

  /** Resolves when no trace of it is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { controller, gone } = this.#browser;
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const ended = ({ sessionId }: { sessionId: string }) => {
      if (sessionId === this.#sessionId) resolve();
    };
    controller.on('Target.detachedFromTarget', ended);
    await controller.call('Target.closeTarget', { targetId: this.#targetId });
    await Promise.race([closed, gone]);
    controller.off('Target.detachedFromTarget', ended);
    controller.sessionEnded(this.#sessionId);
  }

  #evaluate(expression: string): Promise<Evaluated> {
    const params = { expression, awaitPromise: true };
    return this.#browser.controller.call<Evaluated>('Runtime.evaluate', params, this.#sessionId);
  }
}
