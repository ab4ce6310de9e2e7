import type { Failure } from '@turnpike/contract/dashboard';

/** What the gateway refused, in its own words. */
export class ApiFailure extends Error {
  override name = 'ApiFailure';
  /** 0: there was no answer at all. */
  readonly status: number;
  readonly code: string | undefined;
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, failure: Failure, retryAfterSeconds?: number) {
    super(failure.detail ? withDetail(failure.error, failure.detail) : failure.error);
    this.status = status;
    this.code = failure.code;
    this.field = failure.field;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The rule in parentheses, as on /connect, unless the message has it already. */
function withDetail(error: string, detail: string): string {
  return error.includes(detail) ? error : `${error} (${detail})`;
}

const base = '/dashboard/api';

export type Query = Record<string, string | number | undefined>;

/** A path with its query; what is undefined or empty is left out. */
export function withQuery(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return text ? `${path}?${text}` : path;
}

export const apiUrl = (path: string): string => `${base}${path}`;

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request(path, signal ? { signal } : {});
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return request(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** A file, as it is. */
export function upload<T>(path: string, file: File): Promise<T> {
  return request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(apiUrl(path), {
    ...init,
    credentials: 'same-origin',
    cache: 'no-store',
  }).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    throw new ApiFailure(0, { error: 'The gateway does not answer.' });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ApiFailure(
    response.status,
    isFailure(answer) ? answer : { error: `The gateway answered ${response.status}.` },
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

const isFailure = (answer: unknown): answer is Failure =>
  typeof answer === 'object' && answer !== null && typeof (answer as Failure).error === 'string';
