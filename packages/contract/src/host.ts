/**
 * The one interface between a gateway and a browser host. A host runs browsers and holds no truth of its
 * own: ids, limits and states live in the gateway's store.
 */

import type { BlockKind, BrowserParams, OperatingSystem } from './create-parameters.ts';
import type { Isolation } from './isolation.ts';
import type { EndReason } from './session.ts';
import type { TrafficReport } from './traffic.ts';

export type ProxyScheme = 'http' | 'https' | 'socks5' | 'socks5h';

/** The customer's proxy, parsed. `addresses` are the checked, pinned addresses: a host dials nothing else. */
export interface UpstreamProxy {
  scheme: ProxyScheme;
  /** Name or IP literal (IPv6 without brackets) as the customer wrote it; for TLS server names. */
  host: string;
  port: number;
  username?: string;
  password?: string;
  /** Empty when the name did not resolve: the host then answers PROXY_UNREACHABLE. */
  addresses: readonly string[];
}

export interface OpenRequest {
  sessionId: string;
  /** Bearer secret of the CDP endpoint: `/cdp/<cdpId>`. */
  cdpId: string;
  /** Bearer secret of the live view; never the CDP id. */
  viewerToken: string;
  /** Whose session it is. Undefined: the gateway is of an earlier version. */
  accountId?: string;
  proxy: UpstreamProxy;
  params: BrowserParams;
  /** The host ends the session by itself this long after it came up. */
  lifetimeMs: number;
  /** The host gives up by itself on an open that takes longer: a caller that is cut off cannot say so. */
  timeoutMs: number;
  /** And this long after the last CDP or viewer message; undefined: never. */
  idleMs?: number;
  /** Undefined: it begins with nothing and leaves nothing. */
  profile?: ArchiveRequest;
  /** The same for the HTTP cache. */
  cache?: ArchiveRequest;
  /** W3C Trace Context of the create, where it is traced: the host's steps are part of it. */
  traceparent?: string;
}

/** What a session begins with of a saved profile or cache, and what it leaves. */
export interface ArchiveRequest {
  /** Base64 of what an earlier session left; undefined: nothing. Only ever unpacked inside the sandbox. */
  archive?: string;
  /** How large an archive it may leave; undefined: it leaves none. */
  maxBytes?: number;
}

/** What a session left: base64 of an archive, or why there is none, for a person. */
export type ArchiveResult = { archive: string } | { notSaved: string };

/** The profile that a session left; and its cache, where it was to leave one. */
export type SaveResult = ArchiveResult & { cache?: ArchiveResult };

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
  /** In CSS pixels. */
  screen: { width: number; height: number; pixelRatio: number };
  hardware: { processors: number; memory: number; gpu: string };
}

export interface OpenedBrowser {
  chromiumVersion: string;
  /** Whether a live view came up. */
  viewer: boolean;
  /** Where it could be found out. */
  exit?: ProxyExit;
  profile?: ChosenProfile;
}

/** Why a browser ended: someone asked, its lifetime ran out, or it went away by itself. */
export type EndCause = 'closed' | 'expired' | 'gone';

export interface ByteCounters {
  /** Cumulative bytes to and from the customer's proxy, open connections included. */
  bytesUp: number;
  bytesDown: number;
}

/** What `block` and `cache` saved a session so far; only what it was opened with. */
export interface Savings {
  /** By what they were refused for. */
  refusedRequests?: RefusedRequests;
  /** An estimate. */
  bytesFromCache?: number;
}

export type RefusedRequests = Partial<Record<BlockKind, number>>;

/**
 * When CDP clients were connected, as time before the report; of a browser that has ended, before its end. Clocks of
 * machines may be wrong, so these are no times of day.
 */
export interface ClientTimes {
  /** Since the first client connected; undefined: none has. */
  connectedAgoMs?: number;
  /** Since the last client disconnected; undefined: one is connected, or none ever was. */
  disconnectedAgoMs?: number;
}

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

export interface EndedBrowser extends ByteCounters, ClientTimes {
  sessionId: string;
  savings?: Savings;
  cause: EndCause;
  /** By `performance.now()` of the process that holds this: wall clocks of machines may be wrong, and jump. */
  endedAt: number;
  /** Where the host knows more than the cause tells. */
  reason?: EndReason;
  /** That ended the browser: `SIGSEGV`. */
  signal?: string;
  /** Undefined: it could not be read. */
  isolation?: Isolation;
  /** The host's version. Undefined: the host is of an earlier version, which does not report it. */
  serviceVersion?: string;
  /** Where its bytes went, in full. Undefined: the host is of an earlier version. */
  traffic?: TrafficReport;
}

export interface RunningBrowser extends ByteCounters, ClientTimes {
  sessionId: string;
  /** Requests, tunnels and refusals so far: with the bytes, whether its traffic has changed. */
  uses?: number;
  savings?: Savings;
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
   * is left of it is gone a moment later. Undefined: the host does not have it (any more).
   */
  close(sessionId: string): Promise<EndedBrowser | undefined>;
  /**
   * Quits the browser of a session that leaves a profile or cache, in order, and answers what it left. To be followed by
   * `close`: the session stays until then, without a browser, so that its end comes after its profile is kept; a
   * host that hears no more ends it by itself. Undefined: the host does not have it (any more).
   */
  save(sessionId: string): Promise<SaveResult | undefined>;
  /** Where a session's bytes have gone so far. Undefined: the host does not have it (any more), or cannot say. */
  traffic(sessionId: string): Promise<TrafficReport | undefined>;
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
  /** Undefined: it serves creates that ask for no region. */
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

export const hostErrorCodes = ['NO_SEAT', 'PROXY_UNREACHABLE', 'NO_FILTER_LIST', 'START_FAILED'] as const;
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
