import type { SessionStatus } from './answers.ts';
import type { PageReport } from './page-answers.ts';

export interface ErrorFields {
  /** HTTP status; undefined if there was no whole answer. */
  statusCode?: number | undefined;
  /** The answer's body: parsed if it is JSON, else its text. */
  body?: unknown;
  /** The service's error code, such as `PROXY_INVALID`, if it sent one. */
  code?: string | undefined;
  /** Seconds after which to retry, if the service says so. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** The base class of all errors of this client, except for the reason of the caller's own signal. */
export class TurnpikeError extends Error {
  override name = 'TurnpikeError';
  readonly statusCode: number | undefined;
  readonly body: unknown;
  readonly code: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, { statusCode, body, code, retryAfter, cause }: ErrorFields = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.statusCode = statusCode;
    this.body = body;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** 401: the key or the token is missing, wrong or rotated. 403: the account is suspended. */
export class AuthError extends TurnpikeError {
  override name = 'AuthError';
}

/** 429 `CONCURRENCY_LIMIT`: the account runs as many browsers as it may. Close one. */
export class ConcurrencyLimitError extends TurnpikeError {
  override name = 'ConcurrencyLimitError';
  readonly limit: number | undefined;
  readonly active: number | undefined;

  constructor(
    message: string,
    fields: ErrorFields & { limit?: number | undefined; active?: number | undefined },
  ) {
    super(message, fields);
    this.limit = fields.limit;
    this.active = fields.active;
  }
}

/** 429 `RATE_LIMIT`: too many creates in a minute, or too many requests for statistics. */
export class RateLimitError extends TurnpikeError {
  override name = 'RateLimitError';
}

/** 402: the account's browser hours are used up. Reconnects still work. */
export class UsageCapError extends TurnpikeError {
  override name = 'UsageCapError';
}

/** The proxy is missing (`PROXY_REQUIRED`), malformed (`PROXY_INVALID`) or does not work (`PROXY_UNREACHABLE`). */
export class ProxyError extends TurnpikeError {
  override name = 'ProxyError';
  /** The broken rule, or what went wrong. */
  readonly detail: string | undefined;

  constructor(message: string, fields: ErrorFields & { detail?: string | undefined }) {
    super(message, fields);
    this.detail = fields.detail;
  }
}

/** 503 `CAPACITY`: no host has a free seat. */
export class CapacityError extends TurnpikeError {
  override name = 'CapacityError';
}

/** 404: the account has no such session, or it ended too long ago. */
export class SessionNotFoundError extends TurnpikeError {
  override name = 'SessionNotFoundError';
}

/** 410: the session has ended. */
export class SessionEndedError extends TurnpikeError {
  override name = 'SessionEndedError';
  readonly finalStatus: Exclude<SessionStatus, 'ACTIVE'> | undefined;

  constructor(message: string, fields: ErrorFields & { finalStatus?: SessionEndedError['finalStatus'] }) {
    super(message, fields);
    this.finalStatus = fields.finalStatus;
  }
}

/**
 * The page of a page call did not load or could not be read. `code` says why: `PAGE_DNS`, `PAGE_TLS`, `PAGE_TIMEOUT`,
 * `PAGE_HTTP_403` and others.
 */
export class PageError extends TurnpikeError {
  override name = 'PageError';
  /** The session that tried. */
  readonly sessionId: string | undefined;
  /** What is known of the page. */
  readonly page: PageReport | undefined;

  constructor(
    message: string,
    fields: ErrorFields & { sessionId?: string | undefined; page?: PageReport | undefined },
  ) {
    super(message, fields);
    this.sessionId = fields.sessionId;
    this.page = fields.page;
  }
}

/** Any other error of a create. */
export class BrowserCreateError extends TurnpikeError {
  override name = 'BrowserCreateError';
}

/** The gateway could not be reached, did not answer in time, or its answer makes no sense. */
export class ConnectionFailedError extends TurnpikeError {
  override name = 'ConnectionFailedError';
}
