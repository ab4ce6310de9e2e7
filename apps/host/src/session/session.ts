import type { ByteCounters, EndCause, LeftProfile } from '@turnpike/contract/host';
import type { EndReason } from '@turnpike/contract/session';
import type { Upstream } from '@turnpike/tunnel/upstream';
import type { Browser } from '../chromium/browser.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { PreparedBrowser } from '../pool/prepared-browser.ts';
import type { AppliedProfile } from '../profile/applied-profile.ts';
import { ClientEmulation } from '../profile/client-emulation.ts';
import { Relay } from '../relay/relay.ts';
import { leaveProfile } from '../saved-profile/leave-profile.ts';
import { Viewer } from '../viewer/viewer.ts';

const closings = {
  closed: { code: 4000, word: 'CLOSED' },
  expired: { code: 4001, word: 'EXPIRED' },
  gone: { code: 4002, word: 'DEAD' },
} as const satisfies Record<EndCause, { code: number; word: string }>;

export interface SessionEnd extends ByteCounters {
  cause: EndCause;
  /** Where there is more to say than the cause. */
  reason?: EndReason;
  signal?: string;
  /** By `performance.now()`. */
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
  /** Without traffic for this long, it is closed; undefined: it stays. */
  idleMs: number | undefined;
  /** How large a profile it may leave; undefined: it leaves none. */
  maxArchiveBytes: number | undefined;
}

export interface SessionWatcher {
  /** As soon as the end begins, whatever began it. */
  onEnding(): void;
  /** When nothing passes any more. The promise resolves when nothing is left. */
  onEnded(end: SessionEnd, cleared: Promise<void>): void;
  /** Something would not go. */
  onTrouble(error: unknown): void;
}

const maxTimerMs = 2 ** 31 - 1;
/** How long one without a browser waits to be ended, when it has left its profile. */
const lingerMs = 30_000;
/** How often it is looked at within its time. */
const idleLooks = 10;

/** An open browser. It ends once, by whatever comes first, and all ends take the same way. */
export class Session {
  readonly sessionId: string;
  readonly cdpId: string;
  readonly browser: Browser;
  readonly relay: Relay;
  readonly applied: AppliedProfile;
  readonly files: SessionFiles;
  /** Where it was asked for, and there is something to see. */
  readonly viewing: { viewer: Viewer; token: string } | undefined;
  readonly #prepared: PreparedBrowser;
  readonly #upstream: Upstream;
  readonly #lifetimeMs: number;
  readonly #idleMs: number | undefined;
  readonly #maxArchiveBytes: number | undefined;
  #watcher: SessionWatcher | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #idleWatch: NodeJS.Timeout | undefined;
  #lingering: NodeJS.Timeout | undefined;
  #left: Promise<LeftProfile> | undefined;
  #ending: Promise<SessionEnd> | undefined;

  constructor(parts: SessionParts) {
    const { sessionId, cdpId, viewerToken, prepared, applied, upstream, lifetimeMs, idleMs } = parts;
    this.#maxArchiveBytes = parts.maxArchiveBytes;
    this.sessionId = sessionId;
    this.cdpId = cdpId;
    this.browser = prepared.browser;
    this.applied = applied;
    this.files = prepared.files;
    this.relay = new Relay(prepared.browser, new ClientEmulation(applied));
    const { display, pipe } = prepared.browser;
    this.viewing =
      viewerToken !== undefined && display
        ? { viewer: new Viewer(display, pipe.budget), token: viewerToken }
        : undefined;
    this.#prepared = prepared;
    this.#upstream = upstream;
    this.#lifetimeMs = lifetimeMs;
    this.#idleMs = idleMs;
  }

  /** From here on its time runs, and its end is told. */
  run(watcher: SessionWatcher): void {
    this.#watcher = watcher;
    this.#expiry = setTimeout(() => void this.end('expired'), Math.min(this.#lifetimeMs, maxTimerMs));
    void this.browser.gone.then(() => (this.#left ? undefined : this.end('gone')));
    if (this.#idleMs !== undefined) this.#watchIdle(this.#idleMs);
  }

  get counters(): ByteCounters {
    return this.#upstream.counters;
  }

  /**
   * Its browser quits, and what it leaves of its profile is kept here; the session itself stays until it is ended.
   * Undefined: it is about to, and leaves nothing any more.
   */
  async leave(): Promise<LeftProfile | undefined> {
    if (this.#ending) return undefined;
    if (this.#maxArchiveBytes === undefined) return { notSaved: 'the session was not opened to save one' };
    this.#left ??= this.#leave(this.#maxArchiveBytes);
    return this.#left;
  }

  /** Resolves when nothing passes any more, to how it ended: not always as asked. */
  end(cause: EndCause, reason?: EndReason): Promise<SessionEnd> {
    this.#ending ??= this.#end(cause, reason);
    return this.#ending;
  }

  /** Looks now and then whether anything has passed since: nothing is timed where messages flow. */
  #watchIdle(idleMs: number): void {
    let seen = this.#traffic;
    let since = performance.now();
    this.#idleWatch = setInterval(() => {
      if (this.#traffic !== seen) {
        seen = this.#traffic;
        since = performance.now();
      } else if (performance.now() - since >= idleMs) void this.end('closed', 'idle');
    }, idleMs / idleLooks);
  }

  async #leave(maxBytes: number): Promise<LeftProfile> {
    clearInterval(this.#idleWatch);
    // Its clients hear of the session's end, and nothing of the browser's.
    this.relay.stop();
    const unwatched = this.viewing?.viewer.close(closings.closed.code, closings.closed.word);
    const left = await leaveProfile(this.browser, maxBytes);
    await unwatched;
    if (!this.#ending) this.#lingering = setTimeout(() => void this.end('closed'), lingerMs);
    return left;
  }

  get #traffic(): number {
    return this.relay.traffic + (this.viewing?.viewer.traffic ?? 0);
  }

  async #end(cause: EndCause, reason: EndReason | undefined): Promise<SessionEnd> {
    const endedAt = performance.now();
    clearTimeout(this.#expiry);
    clearInterval(this.#idleWatch);
    clearTimeout(this.#lingering);
    this.#watcher?.onEnding();
    const gone = cause === 'gone' && !reason ? await this.browser.whyGone() : undefined;
    this.relay.stop();
    this.#prepared.forwarder.close();
    const cleared = this.#clear(cause);
    const end = { cause, ...(reason && { reason }), ...gone, endedAt, ...this.counters };
    this.#watcher?.onEnded(end, cleared);
    return end;
  }

  /** Kills the browser, and lets the clients go. */
  async #clear(cause: EndCause): Promise<void> {
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
  }
}
