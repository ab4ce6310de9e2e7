/**
 * The one interface between a gateway and a browser host. A host runs browsers and holds no truth of its
 * own: ids, limits and states live in the gateway's store.
 */

import type { OperatingSystem } from './create-parameters.ts';
import type { EndCause, EndedBrowser, RunningReport } from './host/browser-report.ts';
import type { OpenRequest, UpstreamProxy } from './host/open-request.ts';
import type { PageAnswer, PageCall } from './page/page-call.ts';
import type { ScriptAnswer, ScriptCall } from './page/script.ts';
import type { ProtocolName } from './protocols.ts';
import type { EndReason } from './session.ts';
import type { TrafficReport } from './traffic.ts';

export type {
  ByteCounters,
  ClientTimes,
  EndCause,
  EndedBrowser,
  Savings,
  StandbyReport,
} from './host/browser-report.ts';
export type {
  ArchiveRequest,
  ExtensionFile,
  ExtensionRequest,
  OpenRequest,
  ProxyRule,
  ProxyScheme,
  UpstreamProxy,
} from './host/open-request.ts';

/** What a session left: base64 of an archive, or why there is none, for a person. */
export type ArchiveResult = { archive: string } | { notSaved: string };

/** The profile that a session left; and its cache, where it was to leave one. */
export type SaveResult = ArchiveResult & { cache?: ArchiveResult };

/** A snapshot of a session, which only hosts read; or why there is none, for a person. */
export type SnapshotResult =
  | {
      /** Base64. */
      archive: string;
      tabs: number;
      /** Sentences about what could not be read. */
      lost: string[];
    }
  | { notSaved: string };

/** The largest archive that an operator may allow, and hosts take. */
export const maxArchiveBytes = 32 * 2 ** 20;

/** Where the proxy's traffic comes out. */
export interface ProxyExit {
  ip: string;
  /** ISO 3166-1 alpha-2. */
  country?: string;
}

/** What a session claims to be. */
export interface ChosenProfile {
  os: OperatingSystem;
  /** Chromium's full version. */
  browserVersion: string;
  userAgent: string;
  /** As in Accept-Language, the first first. */
  languages: string[];
  uiLanguage: string;
  timeZone: string;
  /** That languages and time zone were chosen by. */
  country?: string;
  /** The id of the device, for `device` of a later create; undefined if the host is of a version without. */
  device?: string;
  /** In CSS pixels. */
  screen: { width: number; height: number; pixelRatio: number };
  hardware: { processors: number; memory: number; gpu: string };
}

export interface OpenedBrowser {
  chromiumVersion: string;
  /** Whether a live view came up. */
  viewer: boolean;
  /** What clients may speak besides CDP; undefined if the host is of a version that speaks nothing else. */
  protocols?: ProtocolName[];
  /** Where it could be found out. */
  exit?: ProxyExit;
  profile?: ChosenProfile;
}

/** A command of WebDriver. */
export interface DriverCall {
  method: string;
  /** Begins with `/session`. */
  path: string;
  /** JSON. */
  body?: string;
}

export interface DriverAnswer {
  status: number;
  /** JSON. */
  body: string;
}

/** The largest answer of a driver that passes through a gateway: a picture of a long page. */
export const maxDriverAnswerBytes = 32 * 2 ** 20;

/** Who pauses a session's clients. */
export interface PauseHolder {
  /** Known to the holder alone: who has it can renew and end the pause. */
  id: string;
  /** For people: an e-mail address. */
  name: string;
}

/** The CDP clients of a session that runs. */
export interface ClientsState {
  connected: number;
  /** What they send waits while this is set. */
  pause?: {
    holder: PauseHolder;
    /** It ends by itself after this time. */
    endsInMs: number;
  };
}

export interface RunningBrowser extends Omit<RunningReport, 'traffic'> {
  /** Requests, tunnels and refusals so far: with the bytes, whether its traffic has changed. */
  uses?: number;
}

/** What a gateway asks of a host, wherever it runs. Every call may be repeated: the second changes nothing. */
export interface BrowserHost {
  readonly name: string;
  /** Base of the public side, e.g. `ws://127.0.0.1:8081`; the CDP URL is this plus `/cdp/<cdpId>`. */
  readonly publicUrl: string;
  /**
   * Starts a browser behind the proxy. Rejects with a `HostError`; whatever the outcome, an open that the host
   * rejected leaves nothing behind. An abort of the signal cancels it.
   */
  open(request: OpenRequest, signal: AbortSignal): Promise<OpenedBrowser>;
  /**
   * Ends a browser and resolves when nothing passes to or from it any more, to how it ended: not always as asked. What
   * is left of it is gone a moment later. Returns undefined if the host does not have it (any more).
   */
  close(sessionId: string): Promise<EndedBrowser | undefined>;
  /**
   * Quits the browser of a session that leaves a profile or cache, in order, and answers what it left. To be followed
   * by `close`: the session stays until then, without a browser, so that its end comes after its profile is kept; a
   * host that hears no more ends it by itself. Returns undefined if the host does not have it (any more).
   */
  save(sessionId: string): Promise<SaveResult | undefined>;
  /**
   * Takes a snapshot of a session, which goes on. Returns undefined if the host does not have it (any more).
   */
  takeSnapshot(sessionId: string, maxBytes: number): Promise<SnapshotResult | undefined>;
  /**
   * Where a session's bytes have gone so far. Returns undefined if the host does not have it (any more), or cannot say.
   */
  traffic(sessionId: string): Promise<TrafficReport | undefined>;
  /**
   * Checks another proxy, and uses it for the session's new connections from then on. Connections through the one before
   * are cut. Rejects with a `HostError` `PROXY_UNREACHABLE`, and then nothing has changed. Undefined if the host does not
   * have the session (any more).
   */
  changeProxy(
    sessionId: string,
    proxy: UpstreamProxy,
    signal: AbortSignal,
  ): Promise<{ exit?: ProxyExit } | undefined>;
  /**
   * Wakes a session that is asleep. Resolves to whether it is awake: it may have to wait for others, or for memory.
   * Undefined: the host does not have the session (any more).
   */
  wake(sessionId: string): Promise<boolean | undefined>;
  /** Undefined, here and in the next three: the host does not have the session (any more). */
  clients(sessionId: string): Promise<ClientsState | undefined>;
  /**
   * Lets what clients send wait, unless another holder's pause goes on: the answer tells whose it is. It ends when it
   * is not renewed for 30 seconds, and in any case after 10 minutes.
   */
  pauseClients(sessionId: string, holder: PauseHolder): Promise<ClientsState | undefined>;
  /** Changes nothing if it is not this holder's pause. */
  renewPause(sessionId: string, holderId: string): Promise<ClientsState | undefined>;
  /** Passes on what waits, in order. Changes nothing if it is not this holder's pause. */
  resumeClients(sessionId: string, holderId: string): Promise<ClientsState | undefined>;
  /**
   * Passes a command of WebDriver to the session's driver, which starts with the first one. Not to be repeated. Returns
   * undefined if the host does not have the session (any more), or has no driver.
   */
  callDriver(sessionId: string, call: DriverCall, signal: AbortSignal): Promise<DriverAnswer | undefined>;
  /**
   * Loads and reads a page in the session. Not to be repeated. Returns undefined if the host does not have the session
   * (any more). A page that does not load is an answer.
   */
  callPage(sessionId: string, call: PageCall, signal: AbortSignal): Promise<PageAnswer | undefined>;
  /**
   * Runs a script in the session's sandbox. Not to be repeated. It may leave code behind that runs until the session is
   * closed. Returns undefined if the host does not have the session (any more). A script that fails is an answer.
   */
  runScript(sessionId: string, call: ScriptCall, signal: AbortSignal): Promise<ScriptAnswer | undefined>;
}

export interface Seats {
  total: number;
  /** By sessions that open or run. */
  used: number;
}

/** Why a host ends browsers of its own accord: it is to stop, or the gateways have given it up for lost. */
export type HostReason = Extract<EndReason, 'host_stopped' | 'host_lost'>;

/** What a session's clients are told then. */
export const causeOfHostReason: Record<HostReason, EndCause> = { host_stopped: 'closed', host_lost: 'gone' };

/** A host seen from the process that it runs in. */
export interface RunningHost extends BrowserHost {
  /** Undefined if it serves creates that ask for no region. */
  readonly region: string | undefined;
  readonly chromiumVersion: string;
  seats(): Seats;
  close(sessionId: string, reason?: HostReason): Promise<EndedBrowser | undefined>;
  /** Those that `onEnded` has not told of yet: one that is missing here and there would count as lost. */
  list(): RunningBrowser[];
  /** The traffic of one of those, with at most that many destinations by name. */
  readTraffic(sessionId: string, maxDestinations: number): TrafficReport | undefined;
  /** Called once for each browser whose `open` succeeded, whatever ended it, before `close` resolves. */
  onEnded(listener: (ended: EndedBrowser) => void): void;
  /** Takes no more, and ends all that opens or runs. Safe to repeat. */
  shutdown(reason?: HostReason): Promise<void>;
}

export const hostErrorCodes = [
  'NO_SEAT',
  'PROXY_UNREACHABLE',
  'NO_FILTER_LIST',
  'EXTENSION_FAILED',
  'DEVICE_UNKNOWN',
  'START_FAILED',
] as const;
export type HostErrorCode = (typeof hostErrorCodes)[number];

export const isHostErrorCode = (code: unknown): code is HostErrorCode =>
  hostErrorCodes.some((known) => known === code);

export class HostError extends Error {
  readonly code: HostErrorCode;
  constructor(code: HostErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HostError';
    this.code = code;
  }
}
