import type { TabState } from '@turnpike/contract/host/snapshot-state';
import { abortable } from '@turnpike/process/abortable';
import type { Protocol } from 'devtools-protocol';
import type { Logger } from 'pino';
import type { Controller } from '../chromium/controller.ts';
import type { Method, Params, Result } from '../chromium/protocol.ts';
import { callInPage } from './call-in-page.ts';

interface TabParts {
  tab: TabState;
  /** What to write to its origin's local storage; undefined: another tab does, or nothing is known of it. */
  local: [string, string][] | undefined;
  logger: Logger;
}

/** How long a page's fields and place may take. */
const showMs = 5000;

/** An empty page. Not kept in a cache, so that going back loads the real one. */
const emptyPage = {
  responseCode: 200,
  responseHeaders: [
    { name: 'content-type', value: 'text/html' },
    { name: 'cache-control', value: 'no-store' },
  ],
  body: '',
};

/**
 * A tab that gets back its history, storage, fields and place. Its own CDP session answers requests for the pages that
 * only stand in its history, so that none of them is loaded.
 */
export class RestoredTab {
  readonly #controller: Controller;
  readonly #targetId: string;
  readonly #cdpSessionId: string;
  readonly #parts: TabParts;
  #isEmpty = true;
  /** The documents that have loaded, and who waits for one. */
  readonly #loaded = new Set<string>();
  #onLoaded: (() => void) | undefined;

  private constructor(controller: Controller, targetId: string, cdpSessionId: string, parts: TabParts) {
    this.#controller = controller;
    this.#targetId = targetId;
    this.#cdpSessionId = cdpSessionId;
    this.#parts = parts;
  }

  static async attach(
    controller: Controller,
    targetId: string,
    parts: TabParts,
    signal: AbortSignal,
  ): Promise<RestoredTab> {
    const attach = { targetId, flatten: true };
    const { sessionId } = await controller.call('Target.attachToTarget', attach, { signal });
    controller.sessions.add(sessionId);
    const restored = new RestoredTab(controller, targetId, sessionId, parts);
    await restored.#call('Page.enable', {}, signal);
    await restored.#call('Page.setLifecycleEventsEnabled', { enabled: true }, signal);
    return restored;
  }

  get cdpSessionId(): string {
    return this.#cdpSessionId;
  }

  /** Answers a request. */
  paused({ requestId }: Protocol.Fetch.RequestPausedEvent): void {
    const answered = this.#isEmpty
      ? this.#call('Fetch.fulfillRequest', { requestId, ...emptyPage })
      : this.#call('Fetch.continueRequest', { requestId });
    answered.catch(() => {}); // The page is gone.
  }

  /** Hears what has become of its documents. */
  changed({ name, loaderId }: Protocol.Page.LifecycleEventEvent): void {
    if (name !== 'load') return;
    this.#loaded.add(loaderId);
    this.#onLoaded?.();
  }

  get isVisible(): boolean {
    return this.#parts.tab.isVisible;
  }

  /** Writes its storage, from an empty page of its origin, and goes through its history. */
  async writeStorage(signal: AbortSignal): Promise<void> {
    const { tab, local, logger } = this.#parts;
    await this.#call('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, signal);
    try {
      if (tab.origin !== undefined) {
        await this.#call('Page.navigate', { url: `${tab.origin}/` }, signal);
        await this.#inPage('writeStorage', [local, tab.session], signal);
      }
      const [first, ...others] = historyOf(tab);
      if (first !== undefined) {
        // Its history can be forgotten once it has loaded.
        await this.#navigate(first, signal);
        await this.#forgetHistory();
      }
      for (const url of others) await this.#call('Page.navigate', { url }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      logger.debug({ reason: (error as Error).message }, 'a tab was not restored as a whole');
    }
    this.#isEmpty = false;
    await this.#call('Fetch.disable', {}, signal);
  }

  /** Loads its page. Resolves when it shows what it did, or the signal aborts. */
  async load(signal: AbortSignal): Promise<void> {
    const { tab, logger } = this.#parts;
    if (tab.url === 'about:blank' && tab.before.length === 0) return;
    try {
      const { loaderId, errorText } = await this.#navigate(tab.url, signal);
      if (historyOf(tab).length === 0) await this.#forgetHistory();
      if (loaderId === undefined || errorText !== undefined) return;
      const isThere = tab.fields.length > 0 || tab.scroll.some((at) => at !== 0);
      if (isThere) await this.#inPage('showAgain', [tab.fields, tab.scroll], signal);
    } catch (error) {
      logger.debug({ reason: (error as Error).message }, 'a tab was not restored as a whole');
    }
  }

  async bringToFront(signal: AbortSignal): Promise<void> {
    await this.#call('Page.bringToFront', {}, signal).catch(() => {}); // It is gone.
  }

  detach(): void {
    const sessionId = this.#cdpSessionId;
    this.#controller.call('Target.detachFromTarget', { sessionId }).catch(() => {}); // It is gone.
    this.#controller.sessionEnded(sessionId);
  }

  /** Navigates, and waits until the page has loaded. */
  async #navigate(url: string, signal: AbortSignal): Promise<Protocol.Page.NavigateResponse> {
    const answer = await this.#call('Page.navigate', { url }, signal);
    const { loaderId, errorText } = answer;
    if (loaderId === undefined || errorText !== undefined || this.#loaded.has(loaderId)) return answer;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onLoaded = () => {
      if (this.#loaded.has(loaderId)) resolve();
    };
    await abortable(promise, signal);
    return answer;
  }

  /** Only the page that it shows stays in its history. */
  async #forgetHistory(): Promise<void> {
    await this.#call('Page.resetNavigationHistory', {}).catch(() => {}); // It is navigating again.
  }

  #inPage(name: string, values: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    const page = { targetId: this.#targetId, cdpSessionId: this.#cdpSessionId };
    return abortable(callInPage(this.#controller, page, name, values, showMs), signal);
  }

  #call<M extends Method>(method: M, params: Params<M>, signal?: AbortSignal): Promise<Result<M>> {
    const options = { cdpSessionId: this.#cdpSessionId, ...(signal && { signal }) };
    return this.#controller.call(method, params, options);
  }
}

/**
 * The addresses before its own. One that differs only behind the `#` would make loading the page a jump within the empty
 * one.
 */
function historyOf({ before, url }: TabState): string[] {
  const pageOf = (address: string) => address.split('#', 1)[0];
  const last = before.findLastIndex((address) => pageOf(address) !== pageOf(url));
  return before.slice(0, last + 1);
}
