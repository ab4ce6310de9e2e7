import type { CloseResult, CreateOptions, Session, SessionListItem, Turnpike } from 'turnpike-client';
import { AgentBrowser } from './agent-browser.ts';

const leaveTimeoutMs = 20_000;

export interface OpenRequest extends CreateOptions {
  /** The session goes on when the agent disconnects. */
  keep: boolean;
}

/** No session is open. */
export class NoSessionError extends Error {
  override name = 'NoSessionError';
}

/** The sessions of one agent: those that it opened, and others of the account that it drives. */
export class AgentBrowsers implements AsyncDisposable {
  readonly client: Turnpike;
  readonly #driven = new Map<string, AgentBrowser>();
  readonly #own = new Set<string>();
  readonly #opening = new Set<Promise<unknown>>();
  readonly #disconnected = new AbortController();

  constructor(client: Turnpike) {
    this.client = client;
  }

  open(request: OpenRequest, signal: AbortSignal): Promise<Session> {
    const opening = this.#open(request, signal).finally(() => this.#opening.delete(opening));
    this.#opening.add(opening);
    return opening;
  }

  /** Finds a session by its id, or the one that was used last. */
  find(sessionId: string | undefined): AgentBrowser {
    const id = sessionId ?? [...this.#driven.keys()].at(-1);
    if (id === undefined) throw new NoSessionError('No session is open. Open one with open_session.');
    const browser = this.#driven.get(id) ?? new AgentBrowser(this.client, id);
    // The last one in the map is the one used last.
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

  /** Disconnects from a session. If the agent opened it, it is still closed at the end. */
  async forget(sessionId: string): Promise<void> {
    const browser = this.#driven.get(sessionId);
    this.#driven.delete(sessionId);
    await browser?.disconnect();
  }

  /** Closes what the agent opened, also what is still opening. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#disconnected.abort(new Error('the agent has disconnected'));
    await Promise.allSettled(this.#opening);
    await Promise.allSettled([
      ...[...this.#own].map((id) => this.client.close(id, { timeoutMs: leaveTimeoutMs })),
      this.client.settled(),
    ]);
    await Promise.all([...this.#driven.keys()].map((id) => this.forget(id)));
  }

  async #open({ keep, ...options }: OpenRequest, signal: AbortSignal): Promise<Session> {
    // No retries: the agent decides better than a timer what to do about an error.
    const session = await this.client.create({
      ...options,
      retries: 0,
      signal: AbortSignal.any([signal, this.#disconnected.signal]),
    });
    if (!keep) this.#own.add(session.browserId);
    this.find(session.browserId);
    return session;
  }
}
