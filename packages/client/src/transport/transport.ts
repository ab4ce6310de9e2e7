import { ConnectionFailedError } from '../errors.ts';
import type { CallOptions, TurnpikeOptions } from '../options.ts';
import { type Answer, errorOf, isObject, type Purpose } from './answer-error.ts';
import { Deadline } from './deadline.ts';
import { parseJson, writeJson } from './exact-json.ts';
import { withRetries } from './retries.ts';
import { emitWarning, warningsIn } from './warnings.ts';

export interface Request {
  path: string;
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Record<string, string | undefined>;
  body?: unknown;
  /** The raw body, in place of `body`. */
  content?: Uint8Array<ArrayBuffer> | Blob;
  headers?: Record<string, string>;
  /** It opens browsers, so the client's proxy stands for one that is missing. */
  takesProxy?: boolean;
  purpose?: Purpose;
  /** The status of success. Default 200. */
  success?: 200 | 202 | 307;
  /** The timeout where neither the call nor the client has one. */
  defaultTimeoutMs?: number;
}

/** A whole HTTP response whose body may be no text. */
export interface BytesAnswer {
  headers: Headers;
  data: Uint8Array<ArrayBuffer>;
}

/** One gateway, one set of credentials. */
export class Transport {
  readonly #base: string;
  readonly #timeoutMs: number | undefined;
  readonly #retries: number;
  readonly #proxy: string | undefined;
  readonly #onWarning: (warning: string) => void;
  /** Requests whose warnings were told: their retries have the same. */
  readonly #warned = new WeakSet<Request>();
  /** Headers with the credentials of each request; never part of a URL. */
  credentials: Record<string, string>;

  constructor(
    endpoint: string,
    credentials: Record<string, string>,
    {
      timeoutMs,
      retries = 2,
      onWarning = emitWarning,
      proxy,
    }: Pick<TurnpikeOptions, 'timeoutMs' | 'retries' | 'onWarning' | 'proxy'>,
  ) {
    this.#base = baseOf(endpoint);
    this.credentials = credentials;
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
    this.#onWarning = onWarning;
    this.#proxy = proxy;
  }

  deadline(options: CallOptions, defaultTimeoutMs = 120_000): Deadline {
    return new Deadline({ ...options, timeoutMs: options.timeoutMs ?? this.#timeoutMs ?? defaultTimeoutMs });
  }

  retries(options: CallOptions): number {
    return options.retries ?? this.#retries;
  }

  /** Sends a request that is safe to repeat, with retries. */
  call(request: Request, options: CallOptions): Promise<Answer> {
    return this.#repeated(request, options, wholeAnswer);
  }

  /** The same, for an answer that may be no text. */
  bytes(request: Request, options: CallOptions): Promise<BytesAnswer> {
    return this.#repeated(request, options, async (response) => ({
      headers: response.headers,
      data: new Uint8Array(await withNetworkErrors(response.arrayBuffer())),
    }));
  }

  #repeated<T>(request: Request, options: CallOptions, read: (response: Response) => Promise<T>): Promise<T> {
    const { purpose = 'other', success = 200, defaultTimeoutMs } = request;
    const deadline = this.deadline(options, defaultTimeoutMs);
    const attempt = async () => {
      try {
        const response = await this.begin(request, deadline.signal);
        if (response.status === success) return await read(response);
        throw errorOf(await wholeAnswer(response), purpose);
      } catch (error) {
        throw deadline.isOver ? deadline.reason() : error;
      }
    };
    return withRetries(attempt, { purpose, retries: this.retries(options), deadline });
  }

  async json<T>(request: Request, options: CallOptions): Promise<T> {
    return jsonOf(await this.call(request, options)) as T;
  }

  /** Sends one request and reads its whole answer, whatever its status. */
  async exchange(request: Request, signal: AbortSignal): Promise<Answer> {
    const response = await this.begin(request, signal);
    return wholeAnswer(response);
  }

  /** Sends one request; resolves with the head of its answer. */
  async begin(request: Request, signal: AbortSignal): Promise<Response> {
    const { path, method = 'GET', content, headers = {} } = request;
    const { query = {}, body } = this.#withProxy(request);
    const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
    const response = await withNetworkErrors(
      fetch(`${this.#base}${path}${search}`, {
        method,
        headers: {
          ...this.credentials,
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(content && { 'content-type': 'application/octet-stream' }),
        },
        ...(body === undefined ? {} : { body: writeJson(body) }),
        ...(content && { body: content }),
        // Following a redirect would send the key to another server.
        redirect: 'manual',
        signal,
      }),
    );
    this.#tellWarnings(request, response.headers);
    return response;
  }

  #withProxy({ takesProxy, query, body }: Request): Pick<Request, 'query' | 'body'> {
    if (!takesProxy || this.#proxy === undefined) return { ...(query && { query }), body };
    const proxy = this.#proxy;
    return isObject(body) ? { body: { proxy, ...body } } : { query: { proxy, ...query } };
  }

  #tellWarnings(request: Request, headers: Headers): void {
    const warnings = warningsIn(headers);
    if (warnings.length === 0 || this.#warned.has(request)) return;
    this.#warned.add(request);
    for (const warning of warnings) this.#onWarning(warning);
  }
}

export async function wholeAnswer(response: Response): Promise<Answer> {
  return {
    status: response.status,
    headers: response.headers,
    text: await withNetworkErrors(response.text()),
  };
}

/** Turns a network failure into a ConnectionFailedError. */
export async function withNetworkErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new ConnectionFailedError(`The request to the gateway failed: ${rootCause(cause)}`, { cause });
  }
}

/** Parses the answer's JSON object or array; anything else is not an answer of the service. */
export function jsonOf({ status, text }: Pick<Answer, 'status' | 'text'>): object {
  try {
    const value = parseJson(text);
    if (isObject(value) || Array.isArray(value)) return value;
  } catch {
    // Reported below.
  }
  throw notFromGateway({ status, text });
}

/** The error for an answer of something else than a gateway. */
export function notFromGateway({ status, text }: Pick<Answer, 'status' | 'text'>): ConnectionFailedError {
  const fields = { statusCode: status, body: text };
  return new ConnectionFailedError(
    'The answer is not one of a Turnpike gateway. Check the endpoint.',
    fields,
  );
}

/** fetch keeps the reason of a failure in its cause. */
function rootCause(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  if (cause instanceof Error) return ('code' in cause && String(cause.code)) || cause.message;
  return error instanceof Error ? error.message : String(error);
}

function baseOf(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new TypeError('endpoint must be an http or https URL without credentials, query or fragment');
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}
