import type { SessionStatus, Unit } from './answers.ts';
import type { BrowserOptions } from './browser-options.ts';
import type { CrawlParameters, PageParameters } from './page-options.ts';

export interface TurnpikeOptions {
  /** The gateway's base URL, such as `https://gateway.example`. Default: `TURNPIKE_URL` of the environment. */
  endpoint?: string | undefined;
  /** Default: `TURNPIKE_API_KEY` of the environment. */
  apiKey?: string | undefined;
  /**
   * The proxy of creates, page calls and crawls that name none. Default: `TURNPIKE_PROXY` of the environment, if the
   * key is from there too: one account's proxy is not another's. Without any, the account's own default holds.
   */
  proxy?: string | undefined;
  /** Timeout of a whole call, with its retries and the waits between them. Default: 120000; of page calls 280000. */
  timeoutMs?: number;
  /** How often a failed call is retried where that can help. Default: 2; 0 turns retries off. */
  retries?: number;
  /**
   * Is told what a call asked for and does not get, such as a mistyped parameter. Default: a warning of the process,
   * which Node prints.
   */
  onWarning?: (warning: string) => void;
}

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. A create that is in progress is closed on the gateway. */
  signal?: AbortSignal;
  timeoutMs?: number;
  retries?: number;
}

export type OperatingSystem = NonNullable<BrowserOptions['os']>;

export interface CreateOptions extends BrowserOptions, CallOptions {
  /** Creates with the same key and the same parameters are one session. Default: a new key for each call. */
  idempotencyKey?: string;
}

/** A page call: what to load, how, and in which browser. */
export interface PageOptions extends PageParameters, BrowserOptions, CallOptions {
  /** Acts on this session, and on its page as it stands if there is no `url` and no `html`. Never retried. */
  sessionId?: string;
  /** Calls with the same key and the same parameters load the page once. Default: a new key for each call. */
  idempotencyKey?: string;
}

/** A crawl, or a batch of `urls`: what to load, what to read of each page, and in which browsers. */
export interface CrawlOptions
  extends CrawlParameters,
    Omit<PageParameters, 'url' | 'html'>,
    BrowserOptions,
    CallOptions {
  /** Starts with the same key and the same parameters are one crawl. Default: a new key for each call. */
  idempotencyKey?: string;
}

export interface ListOptions extends CallOptions {
  status?: SessionStatus;
  /** Only sessions with this name. */
  name?: string;
  /** Only sessions with this tag. */
  tag?: string;
  /** Sessions fetched at a time, 1 to 200. Default 200. */
  pageSize?: number;
}

export interface EventsOptions {
  /** Starts after the event with this `seq`, up to 30 days back. Default: now. */
  lastEventId?: number;
  /** Ends the stream with the signal's reason. */
  signal?: AbortSignal;
  /** How often the first connection is retried; a connection that is lost later is always replaced. */
  retries?: number;
}

export interface TrafficOptions extends CallOptions {
  /** YYYY-MM-DD, a UTC day; included, as `to` is. Default: 29 days before today. */
  from?: string;
  /** Default today. */
  to?: string;
  /** Destinations of each day, 1 to 1,000. The others are added up. Default 100. */
  limit?: number;
}

export interface RangeOptions extends CallOptions {
  /** YYYY-MM-DD, a UTC day; included, as `to` is. */
  from: string;
  /** Default today. */
  to?: string;
  /** Decimal units of bytes. Default `Gb`. */
  unit?: Unit;
}
