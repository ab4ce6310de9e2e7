import type { CloseResult, CreateOptions, Session, SessionListItem, Turnpike } from 'turnpike-client';
import { AgentBrowser } from './agent-browser.ts';

const leaveTimeoutMs = 20_000;

export interface OpenRequest extends CreateOptions {
  /** The session goes on when the agent has gone. */
  keep: boolean;
}

/** There is nothing to drive. */
export class NoSessionError extends Error {
  override name = 'NoSessionError';
}

/** The sessions of one agent: those it opened, and others of the account that it drives. */
export class AgentBrowsers implements AsyncDisposable {
  readonly client: Turnpike;
  readonly #driven = new Map<string, AgentBrowser>();
  readonly #own = new Set<string>();
  readonly #opening = new Set<Promise<unknown>>();
  readonly #leaving = new AbortController();

  constructor(client: Turnpike) {
    this.client = client;
  }

  open(request: OpenRequest, signal: AbortSignal): Promise<Session> {
    const opening = this.#open(request, signal).finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return opening;
  }

  /** By its id, or the one that was opened or named last. */
  find(sessionId: string | undefined): AgentBrowser {
    const id = sessionId ?? [...this.#driven.keys()].at(-1);
    if (id === undefined) throw new NoSessionError('No session is open. Open one with open_session.');
    const browser = this.#driven.get(id) ?? new AgentBrowser(this.client, id);
    // Last in the map is last in use.
    this.#driven.delete(id);
    this.#driven.set(id, browser);
    return browser;
  }

  isOwn(sessionId: string): boolean {
    return this.#own.has(sessionId);
  }

  list(): Promise<SessionListItem[]> {
    return this.client.listBrowsers();
  }

  async close(sessionId: string): Promise<CloseResult> {
    await this.forget(sessionId);
    const closed = await this.client.close(sessionId);
    this.#own.delete(sessionId);
    return closed;
  }

  /** Drives it no longer; whether it is to be closed at the end stays as it is. */
  async forget(sessionId: string): Promise<void> {
    const browser = this.#driven.get(sessionId);
    this.#driven.delete(sessionId);
    await browser?.disconnect();
  }

  /** The agent has gone: what it opened goes too, also what is only just opening. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leaving.abort(new Error('the agent has gone'));
    await Promise.allSettled(this.#opening);
    await Promise.allSettled([
      ...[...this.#own].map((id) => this.client.close(id, { timeoutMs: leaveTimeoutMs })),
      this.client.settled(),
    ]);
    await Promise.all([...this.#driven.keys()].map((id) => this.forget(id)));
  }

  async #open({ keep, ...options }: OpenRequest, signal: AbortSignal): Promise<Session> {
    // Refusals are told at once: an agent decides better than a timer what to do about them.
    const session = await this.client.create({
      ...options,
      retries: 0,
      signal: AbortSignal.any([signal, this.#leaving.signal]),
    });
    if (!keep) this.#own.add(session.browserId);
    this.find(session.browserId);
    return session;
  }
}
