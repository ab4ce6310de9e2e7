import { type ErrorName, type ErrorSpec, errors } from '@turnpike/contract/errors';

export interface ApiErrorOptions {
  /** Completes the message: `Malformed browser params: <because>`. */
  because?: string;
  /** Replaces the message. */
  message?: string;
  /** The broken rule or the cause, for a person. Never holds a secret. */
  detail?: string;
  /** Members beside `error` and `code` in a JSON body. */
  members?: Record<string, unknown>;
  /** The request's field that it is about; only the dashboard and the operator's API say it. */
  field?: string;
  /** In place of the catalogue's. */
  retryAfterSeconds?: number;
  cause?: unknown;
}

/** An answer that is not 200: an entry of the contract's catalogue, and what this case adds to it. */
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
    const { retryAfterSeconds } = options;
    this.spec = retryAfterSeconds === undefined ? spec : { ...spec, retryAfterSeconds };
    this.detail = options.detail;
    this.field = options.field;
    this.members = options.members ?? {};
  }
}
