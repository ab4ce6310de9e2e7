import { type ErrorName, type ErrorSpec, errors } from '@turnpike/contract/errors';

export interface ApiErrorOptions {
  /** Replaces the catalogue's code. */
  code?: string;
  /** Appended to the catalogue's message: `Malformed browser params: <because>`. */
  because?: string;
  /** Replaces the catalogue's message. */
  message?: string;
  /** The broken rule or the cause, for a person to read. Must not contain a secret. Replaces the catalogue's. */
  detail?: string;
  /** Extra members of the JSON body, beside `error` and `code`. */
  members?: Record<string, unknown>;
  /** The field of the request that is wrong. Only the dashboard and the operator's API send it. */
  field?: string;
  /** Replaces the catalogue's `Retry-After`. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** The one error that becomes an HTTP answer: an entry of the contract's catalogue, with what this case adds. */
export class ApiError extends Error {
  readonly spec: ErrorSpec;
  readonly detail: string | undefined;
  readonly field: string | undefined;
  readonly members: Record<string, unknown>;

  constructor(name: ErrorName, options: ApiErrorOptions = {}) {
    const spec: ErrorSpec = errors[name];
    const message =
      options.message ?? (options.because ? `${spec.message}: ${options.because}` : spec.message);
    super(message, { cause: options.cause });
    this.name = 'ApiError';
    const { retryAfterSeconds, code } = options;
    const changed = {
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      ...(code !== undefined && { code }),
    };
    // Callers compare an unchanged one with the catalogue's.
    this.spec = Object.keys(changed).length === 0 ? spec : { ...spec, ...changed };
    this.detail = options.detail ?? spec.detail;
    this.field = options.field;
    this.members = options.members ?? {};
  }
}

/** Refuses a request (400) with a message of its own. */
export const badRequest = (message: string, options: { field?: string; cause?: unknown } = {}): ApiError =>
  new ApiError('badRequest', { message, ...options });
