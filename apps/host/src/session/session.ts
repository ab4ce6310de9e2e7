import type { ByteCounters, EndCause, LeftProfile } from '@turnpike/contract/host';
import type { EndReason } from '@turnpike/contract/session';
import type { Upstream } from '@turnpike/tunnel/upstream';
import type { Browser } from '../chromium/browser.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { PreparedBrowser } from '../pool/prepared-browser.ts';
import type { AppliedProfile } from '../profile/applied-profile.ts';
import { Relay } from '../relay/relay.ts';
import { saveProfile } from '../saved-profile/save-profile.ts';
import { Viewer } from '../viewer/viewer.ts';
import { ClientEmulation } from './client-emulation.ts';

/** The close frames of clients' and viewers' WebSockets. */
const closeFrames = {
  closed: { code: 4000, reason: 'CLOSED' },
  expired: { code: 4001, reason: 'EXPIRED' },
  gone: { code: 4002, reason: 'DEAD' },
} as const satisfies Record<EndCause, { code: number; reason: string }>;

export interface SessionEnd extends ByteCounters {
  cause: EndCause;
  /** More detail than the cause, where there is any. */
  reason?: EndReason;
  signal?: string;
  /** By `performance.now()`. */
  endedAt: number;
}

export interface SessionParts {
  sessionId: string;
  cdpId: string;
  /** Undefined: no live view. */
  viewerToken: string | undefined;
  prepared: PreparedBrowser;
  applied: AppliedProfile;
  /** Whether clients are hidden from pages. */
  stealth: boolean;
  /** Where the browser's forwarder sends all traffic. */
  upstream: Upstream;
  lifetimeMs: number;
  /** It is closed after this time without traffic; undefined: never. */
  idleMs: number | undefined;
  /** The largest profile that it may save; undefined: it saves none. */
  maxArchiveBytes: number | undefined;
}

export interface SessionWatcher {
  /** Called as soon as the end begins, whatever caused it. */
  onEnding(): void;
  /** Called when no traffic passes any more. The promise resolves when its processes and connections are gone. */
  onEnded(end: SessionEnd, cleaned: Promise<void>): void;
  /** Called when a process of it could not be ended. */
  onCleanupError(error: unknown): void;
}

const maxTimerMs = 2 ** 31 - 1;
/** After saving its profile a session has no browser, and ends by itself after this time. */
const endAfterSaveMs = 30_000;
/** How often traffic is checked within the idle time. */
const idleChecks = 10;

/** An open browser with its clients, viewers and files. It ends once, whoever ends it, always through `end`. */
export class Session {
  readonly sessionId: string;
  readonly cdpId: string;
  readonly browser: Browser;
  readonly relay: Relay;
  readonly applied: AppliedProfile;
  readonly files: SessionFiles;
  /** Undefined: no live view was asked for, or the browser is headless. */
  readonly viewing: { viewer: Viewer; token: string } | undefined;
  readonly #prepared: PreparedBrowser;
  readonly #upstream: Upstream;
  readonly #lifetimeMs: number;
  readonly #idleMs: number | undefined;
  readonly #maxArchiveBytes: number | undefined;
  #watcher: SessionWatcher | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #idleWatch: NodeJS.Timeout | undefined;
  #endAfterSave: NodeJS.Timeout | undefined;
  #saved: Promise<LeftProfile> | undefined;
  #ending: Promise<SessionEnd> | undefined;

  constructor(parts: SessionParts) {
    const { sessionId, cdpId, viewerToken, prepared, applied, upstream, lifetimeMs, idleMs } = parts;
    this.#maxArchiveBytes = parts.maxArchiveBytes;
    this.sessionId = sessionId;
    this.cdpId = cdpId;
    this.browser = prepared.browser;
    this.applied = applied;
    this.files = prepared.files;
    if (parts.stealth) prepared.browser.pipe.hideClients();
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

  /** Starts its timers and the reports of its end. */
  run(watcher: SessionWatcher): void {
    this.#watcher = watcher;
    this.#expiry = setTimeout(() => void this.end('expired'), Math.min(this.#lifetimeMs, maxTimerMs));
    void this.browser.gone.then(() => (this.#saved ? undefined : this.end('gone')));
    if (this.#idleMs !== undefined) this.#watchIdle(this.#idleMs);
  }

  get counters(): ByteCounters {
    return this.#upstream.counters;
  }

  /** Quits the browser and packs its profile. The session stays until it is ended. Undefined: it is ending already. */
  async saveProfile(): Promise<LeftProfile | undefined> {
    if (this.#ending) return undefined;
    if (this.#maxArchiveBytes === undefined) return { notSaved: 'the session was not opened to save one' };
    this.#saved ??= this.#saveProfile(this.#maxArchiveBytes);
    return this.#saved;
  }

  /** Resolves when no traffic passes any more, with the cause of the first call. */
  end(cause: EndCause, reason?: EndReason): Promise<SessionEnd> {
    this.#ending ??= this.#end(cause, reason);
    return this.#ending;
  }

  /** Polls the traffic counter, so that messages cost nothing. */
  #watchIdle(idleMs: number): void {
    let lastTraffic = this.#traffic;
    let idleSince = performance.now();
    this.#idleWatch = setInterval(() => {
      if (this.#traffic !== lastTraffic) {
        lastTraffic = this.#traffic;
        idleSince = performance.now();
      } else if (performance.now() - idleSince >= idleMs) void this.end('closed', 'idle');
    }, idleMs / idleChecks);
  }

  async #saveProfile(maxBytes: number): Promise<LeftProfile> {
    clearInterval(this.#idleWatch);
    // Clients are told of the session's end, not of the browser's.
    this.relay.stop();
    const { code, reason } = closeFrames.closed;
    const viewersClosed = this.viewing?.viewer.close(code, reason);
    const saved = await saveProfile(this.browser, maxBytes);
    await viewersClosed;
    if (!this.#ending) this.#endAfterSave = setTimeout(() => void this.end('closed'), endAfterSaveMs);
    return saved;
  }

  get #traffic(): number {
    return this.relay.traffic + (this.viewing?.viewer.traffic ?? 0);
  }

  async #end(cause: EndCause, reason: EndReason | undefined): Promise<SessionEnd> {
    const endedAt = performance.now();
    clearTimeout(this.#expiry);
    clearInterval(this.#idleWatch);
    clearTimeout(this.#endAfterSave);
    this.#watcher?.onEnding();
    const gone = cause === 'gone' && !reason ? await this.browser.exitReason() : undefined;
    this.relay.stop();
    this.#prepared.forwarder.close();
    const cleaned = this.#cleanUp(cause);
    const end = { cause, ...(reason && { reason }), ...gone, endedAt, ...this.counters };
    this.#watcher?.onEnded(end, cleaned);
    return end;
  }

  /** Kills the browser and closes the connections of clients and viewers. */
  async #cleanUp(cause: EndCause): Promise<void> {
    const { code, reason } = closeFrames[cause];
    const viewersClosed = this.viewing?.viewer.close(code, reason);
    try {
      await this.#prepared.kill();
    } catch (error) {
      this.#watcher?.onCleanupError(error);
    }
    // Only now, so that the browser's last messages go before the close frames.
    await this.relay.close(code, reason);
    await viewersClosed;
  }
}
