import { type Browser, chromium, type Page } from 'playwright-core';
import type { Turnpike } from 'turnpike-client';

const connectTimeoutMs = 30_000;

/** One session as an agent drives it. The newest tab is the one that is driven. */
export class AgentBrowser {
  readonly sessionId: string;
  readonly #client: Turnpike;
  #connecting: Promise<Browser> | undefined;

  constructor(client: Turnpike, sessionId: string) {
    this.#client = client;
    this.sessionId = sessionId;
  }

  async page(): Promise<Page> {
    const browser = await this.#connection();
    const context = browser.contexts()[0] ?? (await browser.newContext());
    return context.pages().at(-1) ?? (await context.newPage());
  }

  /** Throws the gateway's word that the session has ended, where it has. */
  async expectRunning(): Promise<void> {
    await this.#client.reconnectUrl(this.sessionId);
  }

  /** Lets go of the browser, which goes on. */
  async disconnect(): Promise<void> {
    const connecting = this.#connecting;
    this.#connecting = undefined;
    await (await connecting?.catch(() => undefined))?.close().catch(() => {});
  }

  #connection(): Promise<Browser> {
    this.#connecting ??= this.#connect().catch((error) => {
      this.#connecting = undefined;
      throw error;
    });
    return this.#connecting;
  }

  async #connect(): Promise<Browser> {
    const cdpUrl = await this.#client.reconnectUrl(this.sessionId);
    const browser = await chromium.connectOverCDP(cdpUrl, { timeout: connectTimeoutMs });
    // A session outlives its connections: the next use makes a new one.
    browser.once('disconnected', () => {
      this.#connecting = undefined;
    });
    return browser;
  }
}
