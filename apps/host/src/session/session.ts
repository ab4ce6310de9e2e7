import type { ByteCounters, EndCause } from '@turnpike/contract/host';
import type { Upstream } from '@turnpike/tunnel/upstream';
import type { Browser } from '../chromium/browser.ts';
import type { PreparedBrowser } from '../pool/prepared-browser.ts';
import type { AppliedProfile } from '../profile/applied-profile.ts';
import { ClientEmulation } from '../profile/client-emulation.ts';
import { Relay } from '../relay/relay.ts';
import { Viewer } from '../viewer/viewer.ts';

const closings = {
  closed: { code: 4000, word: 'CLOSED' },
  expired: { code: 4001, word: 'EXPIRED' },
  gone: { code: 4002, word: 'DEAD' },
} as const satisfies Record<EndCause, { code: number; word: string }>;

export interface SessionEnd extends ByteCounters {
  cause: EndCause;
  endedAt: number;
}

export interface SessionParts {
  sessionId: string;
  cdpId: string;
  /** Undefined: nobody is to look at it. */
  viewerToken: string | undefined;
  prepared: PreparedBrowser;
  applied: AppliedProfile;
  /** Where the browser's forwarder sends everything. */
  upstream: Upstream;
  lifetimeMs: number;
}

export interface SessionWatcher {
  /** As soon as the end begins, whatever began it. */
  onEnding(): void;
  /** When nothing is left. */
  onEnded(end: SessionEnd): void;
  /** Something would not go. */
  onTrouble(error: unknown): void;
}

const maxTimerMs = 2 ** 31 - 1;

/** An open browser. It ends once, by whatever comes first, and all ends take the same way. */
export class Session {
  readonly sessionId: string;
  readonly cdpId: string;
  readonly browser: Browser;
  readonly relay: Relay;
  readonly applied: AppliedProfile;
  /** Where it was asked for, and there is something to see. */
  readonly viewing: { viewer: Viewer; token: string } | undefined;
  readonly #prepared: PreparedBrowser;
  readonly #upstream: Upstream;
  readonly #lifetimeMs: number;
  #watcher: SessionWatcher | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #ending: Promise<SessionEnd> | undefined;

  constructor({ sessionId, cdpId, viewerToken, prepared, applied, upstream, lifetimeMs }: SessionParts) {
    this.sessionId = sessionId;
    this.cdpId = cdpId;
    this.browser = prepared.browser;
    this.applied = applied;
    this.relay = new Relay(prepared.browser, new ClientEmulation(applied));
    const { display } = prepared.browser;
    this.viewing =
      viewerToken !== undefined && display ? { viewer: new Viewer(display), token: viewerToken } : undefined;
    this.#prepared = prepared;
    this.#upstream = upstream;
    this.#lifetimeMs = lifetimeMs;
  }

  /** From here on its time runs, and its end is told. */
  run(watcher: SessionWatcher): void {
    this.#watcher = watcher;
    this.#expiry = setTimeout(() => void this.end('expired'), Math.min(this.#lifetimeMs, maxTimerMs));
    void this.browser.gone.then(() => this.end('gone'));
  }

  get counters(): ByteCounters {
    return this.#upstream.counters;
  }

  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  /** Resolves when nothing is left, to how it ended: not always as asked. */
  end(cause: EndCause): Promise<SessionEnd> {
    this.#ending ??= this.#end(cause);
    return this.#ending;
  }

  async #end(cause: EndCause): Promise<SessionEnd> {
    const endedAt = Date.now();
    clearTimeout(this.#expiry);
    this.#watcher?.onEnding();
    const { code, word } = closings[cause];
    const unwatched = this.viewing?.viewer.close(code, word);
    try {
      await this.#prepared.kill();
    } catch (error) {
      this.#watcher?.onTrouble(error);
    }
    // Only now: what the browser said last goes before the close frames.
    await this.relay.close(code, word);
    await unwatched;
    this.#prepared.forwarder.close();
    const end = { cause, endedAt, ...this.counters };
    this.#watcher?.onEnded(end);
    return end;
  }
}
