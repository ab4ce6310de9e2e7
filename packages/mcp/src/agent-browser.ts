import { type Browser, chromium, type Page } from 'playwright-core';
import type { Turnpike } from 'turnpike-client';

const connectTimeoutMs = 30_000;

/** A session that an agent drives, in its newest tab. */
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

  /** Throws the gateway's error if the session has ended. */
  async expectRunning(): Promise<void> {
    await this.#client.reconnectUrl(this.sessionId);
  }

  /** Disconnects from the browser, which goes on. */
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
    // A session outlives its connections: the next use connects again.
    browser.once('disconnected', () => {
      this.#connecting = undefined;
    });
    return browser;
  }
}
