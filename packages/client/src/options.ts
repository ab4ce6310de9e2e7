export interface TurnpikeOptions {
  /** The gateway's base URL, such as `https://gateway.example`. */
  endpoint: string;
  apiKey: string;
  /** For a whole call, its repeats and the waits between them. Default 120000. */
  timeoutMs?: number;
  /** How often a call is repeated where that can help. Default 2; 0 turns it off. */
  retries?: number;
}

/** What every call takes. */
export interface CallOptions {
  /** Rejects the call with the signal's reason. A create that is under way is closed on the gateway. */
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: number;
}

export type OperatingSystem = 'windows' | 'android' | 'linux' | 'macos';

/** What the browser shall be. */
export interface BrowserOptions {
  /** `http`, `https`, `socks5` or `socks5h`, with its port. The gateway refuses a create without one. */
  proxy?: string;
  /** The device that the session claims to be. Default `windows`. */
  os?: OperatingSystem;
  headless?: boolean;
  /** Asks for a live view. */
  vnc?: boolean;
  /** Seconds, clamped into 120 to 86400. Default 7200. */
  maxLifetime?: number;
  /** Seconds, 10 to 86400, without a CDP or viewer message after which the session is closed. Default: never. */
  idleTimeout?: number;
  /** Seconds, at most 60, to wait in line where there is no slot or no seat. Default 0: refused at once. */
  wait?: number;
  /** Where the browser is to run, by a name of the operator. Default: anywhere. */
  region?: string;
  /** A saved profile to begin with; a name that was never saved begins empty. */
  profile?: string;
  /** Saves that profile when the session is closed. One session at a time. */
  saveProfile?: boolean;
  browserVersionMin?: number;
  browserVersionMax?: number;
  /** An Accept-Language list, such as `en-US,en;q=0.9`. */
  browserLanguage?: string;
  uiLanguage?: string;
  screenWidthMin?: number;
  screenHeightMin?: number;
  /** Background tabs stay visible and focused. */
  forceVisibility?: boolean;
  /** Kept on the session. */
  metadata?: Record<string, unknown>;
}

export interface CreateOptions extends BrowserOptions, CallOptions {
  /** Creates with the same key and the same parameters are one session. Default: a new one for each call. */
  idempotencyKey?: string;
}

export interface ListOptions extends CallOptions {
  status?: 'ACTIVE' | 'CLOSED' | 'DEAD' | 'EXPIRED';
  /** Sessions fetched at a time, 1 to 200. Default 200. */
  pageSize?: number;
}

export interface EventsOptions {
  /** Begins after this event (its `seq`), up to 30 days back. Default: now. */
  lastEventId?: number;
  /** Ends the stream with the signal's reason. */
  signal?: AbortSignal;
  /** How often the first connection is tried again; one that is lost later always is. */
  retries?: number;
}

export type Product = 'residential' | 'rotating-isp' | 'rotating-dc' | 'web-unblocker';
export type Unit = 'Kb' | 'Mb' | 'Gb' | 'Tb';

export interface RangeOptions extends CallOptions {
  /** YYYY-MM-DD, a UTC day; included, as `to` is. */
  from: string;
  /** Default today. */
  to?: string;
  /** Decimal units of bytes. Default `Gb`. */
  unit?: Unit;
}
