import type {
  ByteCounters,
  EndCause,
  EndedBrowser,
  SaveResult,
  Savings,
  SnapshotResult,
} from '@turnpike/contract/host';
import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import type { PageCall } from '@turnpike/contract/page/page-call';
import type { EndReason } from '@turnpike/contract/session';
import { maxDestinations } from '@turnpike/contract/traffic';
import { serviceVersion } from '@turnpike/process/observation/service-version';
import type { Logger } from 'pino';
import type { Browser } from '../chromium/browser.ts';
import type { SessionFiles } from '../files/session-files.ts';
import type { SessionTraffic } from '../forwarder/session-traffic.ts';
import { choosePage } from '../page/choose-page.ts';
import type { PreparedBrowser } from '../pool/prepared-browser.ts';
import type { AppliedProfile } from '../profile/applied-profile.ts';
import { keptDevice } from '../profile/profile.ts';
import { SessionProtocols } from '../protocols/session-protocols.ts';
import type { Recorder } from '../recording/recorder.ts';
import type { CdpConnections } from '../relay/cdp-connections.ts';
import { Relay } from '../relay/relay.ts';
import { type ArchiveLimits, notAsked, saveProfile } from '../saved-profile/save-profile.ts';
import type { Saving } from '../saving/saving.ts';
import { takeSnapshot } from '../snapshot/take-snapshot.ts';
import type { BusyPages } from '../standby/busy-pages.ts';
import { Standby, type StandbyOptions } from '../standby/standby.ts';
import type { Targets } from '../targets/targets.ts';
import { Viewer } from '../viewer/viewer.ts';
import { ClientEmulation } from './client-emulation.ts';
import { ClientPause } from './client-pause.ts';
import { ContextProxies } from './context-proxies.ts';

/** The close frames of clients' and viewers' WebSockets. */
const closeFrames = {
  closed: { code: 4000, reason: 'CLOSED' },
  expired: { code: 4001, reason: 'EXPIRED' },
  gone: { code: 4002, reason: 'DEAD' },
} as const satisfies Record<EndCause, { code: number; reason: string }>;

export interface SessionParts {
  sessionId: string;
  /** Empty: the gateway is of a version that does not say. */
  accountId: string;
  cdpId: string;
  /** Undefined means no live view. */
  viewerToken: string | undefined;
  prepared: PreparedBrowser;
  targets: Targets;
  applied: AppliedProfile;
  /** Whether clients are hidden from pages. */
  stealth: boolean;
  /** Whether clients may load extensions from its files. */
  mayLoadExtensions: boolean;
  /** What the browser's forwarder carries. */
  traffic: SessionTraffic;
  lifetimeMs: number;
  /** It is closed after this time without traffic; undefined means never. */
  idleMs: number | undefined;
  /** It is closed when its last client or viewer has been gone for this time; undefined means never. */
  closeAfterMs: number | undefined;
  /** When and how it sleeps; undefined means never. */
  standby: (Pick<StandbyOptions, 'wakes' | 'reclaimer' | 'afterMs'> & { pages: BusyPages }) | undefined;
  /** What it saves when it is closed. */
  archiveLimits: ArchiveLimits;
  saving: Saving;
  /** Undefined if it is not recorded. */
  recorder: Recorder | undefined;
  /** Connects its workers to the relay. */
  cdpConnections: CdpConnections;
  /** Looks up the proxies of its contexts. */
  resolveProxy: ResolveProxy | undefined;
  /** Reads where its proxy comes out; undefined if nobody asked for that. */
  exitWatch: Disposable | undefined;
  /** The program that it runs. */
  chromium: string;
  logger: Logger;
}

export interface SessionWatcher {
  /** Called as soon as the end begins, whatever caused it. */
  onEnding(): void;
  /** Called when no traffic passes any more. The promise resolves when its processes and connections are gone. */
  onEnded(ended: EndedBrowser, cleaned: Promise<void>): void;
  /** Called when a process of it could not be ended. */
  onCleanupError(error: unknown): void;
}

const maxTimerMs = 2 ** 31 - 1;
/** After saving its profile a session has no browser, and ends by itself after this time. */
const endAfterSaveMs = 30_000;
/** How long a session that is to be saved may take to wake. */
const wakeToSaveMs = 15_000;
/** How often traffic is checked within the idle time, and clients within the time after the last one. */
const idleChecks = 10;
/** Whether clients are connected is checked at least this often. */
const maxClientCheckMs = 1000;

/** An open browser with its clients, viewers and files. It ends once, whoever ends it, always through `end`. */
export class Session {
  readonly sessionId: string;
  readonly accountId: string;
  readonly cdpId: string;
  readonly browser: Browser;
  readonly relay: Relay;
  readonly protocols: SessionProtocols;
  readonly clientPause: ClientPause;
  readonly applied: AppliedProfile;
  readonly files: SessionFiles;
  readonly #targets: Targets;
  /** Undefined if no live view was asked for, or the browser is headless. */
  readonly viewing: { viewer: Viewer; token: string } | undefined;
  /** Undefined if it never sleeps. */
  readonly standby: Standby | undefined;
  readonly #prepared: PreparedBrowser;
  readonly traffic: SessionTraffic;
  readonly #lifetimeMs: number;
  readonly #idleMs: number | undefined;
  readonly #closeAfterMs: number | undefined;
  readonly #archiveLimits: ArchiveLimits;
  readonly #saving: Saving;
  readonly #recorder: Recorder | undefined;
  readonly #exitWatch: Disposable | undefined;
  #watcher: SessionWatcher | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #idleWatch: NodeJS.Timeout | undefined;
  #clientWatch: NodeJS.Timeout | undefined;
  #endAfterSave: NodeJS.Timeout | undefined;
  #isolation: ReturnType<Browser['openIsolation']> | undefined;
  #saved: Promise<SaveResult> | undefined;
  #snapshot: Promise<SnapshotResult> | undefined;
  #ending: Promise<EndedBrowser> | undefined;
  /** By `performance.now()`. */
  #endedAt = Number.NaN;

  constructor(parts: SessionParts) {
    const { sessionId, cdpId, viewerToken, prepared, applied, traffic, lifetimeMs, idleMs } = parts;
    this.#archiveLimits = parts.archiveLimits;
    this.#saving = parts.saving;
    this.#recorder = parts.recorder;
    this.#exitWatch = parts.exitWatch;
    this.sessionId = sessionId;
    this.accountId = parts.accountId;
    this.cdpId = cdpId;
    this.browser = prepared.browser;
    this.applied = applied;
    this.files = prepared.files;
    if (parts.stealth) prepared.browser.pipe.hideClients();
    const { recorder, targets } = parts;
    this.#targets = targets;
    if (recorder) prepared.browser.tap((message) => recorder.tapped(message));
    this.relay = new Relay(prepared.browser, targets, {
      watcher: new ClientEmulation(applied, targets),
      observer: recorder,
      contexts: new ContextProxies({
        sessionId,
        traffic,
        controller: prepared.browser.controller,
        isSandboxed: prepared.browser.isSandboxed,
        resolveProxy: parts.resolveProxy,
        logger: parts.logger,
      }),
      mayLoadExtensions: parts.mayLoadExtensions,
    });
    this.protocols = new SessionProtocols({
      session: this,
      cdpConnections: parts.cdpConnections,
      chromium: parts.chromium,
      isOpen: () => this.#ending === undefined,
      onUse: () => this.standby?.use(),
      cdpId,
      logger: parts.logger,
      driverObserver: recorder && { asked: (request) => recorder.driverAsked(request) },
    });
    const { display, pipe } = prepared.browser;
    this.clientPause = new ClientPause((isPaused) => pipe.pauseClients(isPaused));
    if (recorder) this.clientPause.onChange((change, by) => recorder.clientsPaused(change, by));
    this.viewing =
      viewerToken !== undefined && display
        ? {
            viewer: new Viewer(
              display,
              pipe.budget,
              pipe.work,
              recorder && ((action) => recorder.personActed(action)),
            ),
            token: viewerToken,
          }
        : undefined;
    this.#prepared = prepared;
    this.traffic = traffic;
    this.standby = parts.standby && this.#newStandby(parts.standby, parts.logger);
    this.#lifetimeMs = lifetimeMs;
    this.#idleMs = idleMs;
    this.#closeAfterMs = parts.closeAfterMs;
  }

  /** Starts its timers and the reports of its end. */
  run(watcher: SessionWatcher): void {
    this.#watcher = watcher;
    this.#recorder?.run();
    this.#expiry = setTimeout(() => void this.end('expired'), Math.min(this.#lifetimeMs, maxTimerMs));
    void this.browser.gone.then(() => (this.#saved ? undefined : this.end('gone')));
    this.#isolation = this.browser.openIsolation();
    if (this.#idleMs !== undefined) this.#watchIdle(this.#idleMs);
    if (this.#closeAfterMs !== undefined) this.#watchClients(this.#closeAfterMs);
    this.standby?.run();
  }

  /** Wakes it. Resolves to whether it is awake when the signal aborts. */
  async wake(signal: AbortSignal): Promise<boolean> {
    try {
      await this.standby?.wake(signal);
      return this.standby?.isAsleep !== true;
    } catch {
      return false;
    }
  }

  /** Whether it is told, or ends, when its proxy comes out elsewhere. */
  get pinsExit(): boolean {
    return this.#exitWatch !== undefined;
  }

  /** Finds the page that a page call is about. */
  choosePage(call: PageCall): Promise<string> {
    return choosePage(this.#targets, call);
  }

  /** The rule that has refused connections to a host. */
  refusalOf(host: string): string | undefined {
    const { destinations } = this.traffic.report(maxDestinations);
    const refused = destinations
      .filter((one) => one.host === host)
      .flatMap((one) => Object.keys(one.refused));
    return refused.find((reason) => reason !== 'proxy_failure');
  }

  /** How long the host's own threads have worked for it. */
  get busyMs(): number {
    return this.browser.work.busyMs + this.browser.pipe.busyMs;
  }

  get counters(): ByteCounters & { savings?: Savings } {
    const { savings } = this.#saving;
    return { ...this.traffic.counters, ...(savings && { savings }) };
  }

  /**
   * Quits the browser and packs what it leaves. The session stays until it is ended. Returns undefined if it is ending
   * already.
   */
  async saveProfile(): Promise<SaveResult | undefined> {
    if (this.#ending) return undefined;
    const { profile, cache } = this.#archiveLimits;
    if (profile === undefined && cache === undefined) return notAsked;
    this.#saved ??= this.#saveProfile();
    return this.#saved;
  }

  /** Takes a snapshot, one at a time. Returns undefined if it is ending, or its browser has quit. */
  async takeSnapshot(maxBytes: number): Promise<SnapshotResult | undefined> {
    if (this.#ending || this.#saved) return undefined;
    this.#snapshot ??= takeSnapshot(
      this.browser,
      this.#targets,
      keptDevice(this.applied.profile),
      maxBytes,
    ).finally(() => {
      this.#snapshot = undefined;
    });
    return this.#snapshot;
  }

  /** Resolves when no traffic passes any more, with the cause of the first call. */
  async end(cause: EndCause, reason?: EndReason): Promise<EndedBrowser> {
    this.#ending ??= this.#end(cause, reason);
    return { ...(await this.#ending), agoMs: this.#endedAgoMs };
  }

  get #endedAgoMs(): number {
    return Math.round(performance.now() - this.#endedAt);
  }

  /** Polls the traffic counter, so that messages cost nothing. */
  #watchIdle(idleMs: number): void {
    let lastTraffic = this.#traffic;
    let idleSince = performance.now();
    this.#idleWatch = setInterval(() => {
      if (this.#traffic !== lastTraffic || this.clientPause.isPaused) {
        lastTraffic = this.#traffic;
        idleSince = performance.now();
      } else if (performance.now() - idleSince >= idleMs) void this.end('closed', 'idle');
    }, idleMs / idleChecks);
  }

  /** Closes it when clients and viewers were connected once, and none has been for the given time. */
  #watchClients(closeAfterMs: number): void {
    let seenAt: number | undefined;
    let viewerTraffic = 0;
    const look = () => {
      const now = performance.now();
      const { disconnectedAgoMs } = this.relay.presence.times(now);
      const { count = 0, traffic = 0 } = this.viewing?.viewer ?? {};
      const isUsed = this.relay.presence.count + count > 0 || this.clientPause.isPaused;
      // Whoever came and went between two looks.
      if (isUsed || traffic !== viewerTraffic) seenAt = now;
      else if (disconnectedAgoMs !== undefined) seenAt = Math.max(seenAt ?? 0, now - disconnectedAgoMs);
      viewerTraffic = traffic;
      if (seenAt !== undefined && now - seenAt >= closeAfterMs) void this.end('closed', 'idle');
    };
    this.#clientWatch = setInterval(look, Math.min(maxClientCheckMs, closeAfterMs / idleChecks));
  }

  /** Undefined where the system cannot stop the processes of a session. */
  #newStandby(parts: NonNullable<SessionParts['standby']>, logger: Logger): Standby | undefined {
    const { browser, files } = this.#prepared;
    const { group } = browser;
    const freezer = group?.freezer;
    if (!group || !freezer) return undefined;
    return new Standby({
      ...parts,
      ...{ accountId: this.accountId, browser, group, freezer, logger },
      traffic: () => this.#traffic,
      isHeld: () =>
        (this.viewing?.viewer.count ?? 0) > 0 || this.clientPause.isPaused || this.#recorder !== undefined,
      hasDownload: (withinMs) => files.downloadsSince(Date.now() - withinMs).catch(() => false),
    });
  }

  async #saveProfile(): Promise<SaveResult> {
    await this.standby?.wake(AbortSignal.timeout(wakeToSaveMs)).catch(() => {}); // It is ended all the same.
    this.standby?.end();
    clearInterval(this.#idleWatch);
    clearInterval(this.#clientWatch);
    this.clientPause.close();
    // Clients are told of the session's end, not of the browser's.
    this.relay.stop();
    const { code, reason } = closeFrames.closed;
    const viewersClosed = this.viewing?.viewer.close(code, reason);
    const saved = await saveProfile(this.browser, this.#archiveLimits);
    await viewersClosed;
    if (!this.#ending) this.#endAfterSave = setTimeout(() => void this.end('closed'), endAfterSaveMs);
    return saved;
  }

  get #traffic(): number {
    return this.relay.traffic + this.protocols.traffic + (this.viewing?.viewer.traffic ?? 0);
  }

  async #end(cause: EndCause, reason: EndReason | undefined): Promise<EndedBrowser> {
    this.#endedAt = performance.now();
    const clients = this.relay.presence.times(this.#endedAt);
    clearTimeout(this.#expiry);
    clearInterval(this.#idleWatch);
    clearInterval(this.#clientWatch);
    clearTimeout(this.#endAfterSave);
    this.#exitWatch?.[Symbol.dispose]();
    this.clientPause.close();
    this.standby?.end();
    this.#watcher?.onEnding();
    const gone = cause === 'gone' && !reason ? await this.browser.exitReason() : undefined;
    this.relay.stop();
    this.protocols.stop();
    this.#prepared.forwarder.close();
    using isolation = await this.#isolation;
    const cleaned = this.#cleanUp(cause).then(
      () => void this.#recorder?.end(reason ?? gone?.reason ?? cause),
    );
    const traffic = this.traffic.report(maxDestinations);
    const { bytesUp, bytesDown } = traffic;
    const { savings } = this.#saving;
    const ended = {
      sessionId: this.sessionId,
      cause,
      ...(reason && { reason }),
      ...gone,
      agoMs: this.#endedAgoMs,
      bytesUp,
      bytesDown,
      traffic,
      serviceVersion,
      ...(savings && { savings }),
      ...clients,
      ...(this.standby && { standby: this.standby.report() }),
      ...(isolation && { isolation: isolation.read() }),
    };
    this.#watcher?.onEnded(ended, cleaned);
    return ended;
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
    this.protocols.close(code, reason);
    await this.relay.close(code, reason);
    await viewersClosed;
  }
}
