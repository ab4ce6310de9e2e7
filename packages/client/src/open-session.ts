import type { CloseResult, Session, SessionStatus } from './answers.ts';

/** An open session: `await using session = await turnpike.open(…)` closes it at the end of the block. */
export class OpenSession implements Session, AsyncDisposable {
  readonly browserId: string;
  readonly cdpUrl: string;
  readonly bidiUrl?: string;
  readonly playwrightUrl?: string;
  readonly webdriverUrl?: string;
  readonly vncUrl?: string;
  readonly status: SessionStatus;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly name?: string;
  readonly tags?: string[];
  readonly browserParams: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
  readonly #close: () => Promise<CloseResult>;

  constructor(session: Session, close: () => Promise<CloseResult>) {
    this.browserId = session.browserId;
    this.cdpUrl = session.cdpUrl;
    if (session.bidiUrl !== undefined) this.bidiUrl = session.bidiUrl;
    if (session.playwrightUrl !== undefined) this.playwrightUrl = session.playwrightUrl;
    if (session.webdriverUrl !== undefined) this.webdriverUrl = session.webdriverUrl;
    if (session.vncUrl !== undefined) this.vncUrl = session.vncUrl;
    this.status = session.status;
    this.createdAt = session.createdAt;
    this.expiresAt = session.expiresAt;
    if (session.name !== undefined) this.name = session.name;
    if (session.tags !== undefined) this.tags = session.tags;
    this.browserParams = session.browserParams;
    this.metadata = session.metadata;
    this.#close = close;
  }

  /** Closes the session. Safe to repeat. */
  close(): Promise<CloseResult> {
    return this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
