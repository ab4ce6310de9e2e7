import type { Failure } from '@turnpike/contract/dashboard/common';
import type { AnswerOf, BodyOf, PageRoutes, ParamsOf, QueryOf } from '@turnpike/contract/dashboard/routes';
import { noteWarnings } from './warnings.ts';

/** An error that the gateway answered, or none reached it. */
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

/** Routes of the account's API are called at their own address, the others below `/dashboard/api`. */
const urlOf = (address: string): string =>
  /^\/(user\/)?api\//.test(address) ? address : `/dashboard/api${address}`;

type PathOf<Method extends string> = keyof PageRoutes extends infer Key
  ? Key extends `${Method} ${infer Path}`
    ? Path
    : never
  : never;
export type GetPath = PathOf<'GET'>;
export type PostPath = PathOf<'POST'>;
export type DeletePath = PathOf<'DELETE'>;
/** Methods that send JSON. */
type SendMethod = 'POST' | 'PUT' | 'PATCH';
/** `PATCH /user/api/proxies/:name`: a route that changes something there is. */
export type ChangeRoute = Extract<keyof PageRoutes, `PUT ${string}` | `PATCH ${string}`>;
export type ChangeAnswer<Route extends ChangeRoute> = AnswerOf<PageRoutes[Route]>;
export type ChangeBody<Route extends ChangeRoute> = BodyOf<PageRoutes[Route]>;

type Get<Path extends GetPath> = PageRoutes[`GET ${Path}` & keyof PageRoutes];
type Post<Path extends PostPath> = PageRoutes[`POST ${Path}` & keyof PageRoutes];
export type GetAnswer<Path extends GetPath> = AnswerOf<Get<Path>>;
export type PostAnswer<Path extends PostPath> = AnswerOf<Post<Path>>;
export type DeleteAnswer<Path extends DeletePath> = AnswerOf<PageRoutes[`DELETE ${Path}` & keyof PageRoutes]>;
export type PostBody<Path extends PostPath> = BodyOf<Post<Path>>;

/** `{ params: { id: string } }` for `/sessions/:id`, nothing for a path without parameters. */
export type Params<Path extends string> =
  unknown extends ParamsOf<Path> ? { params?: never } : { params: ParamsOf<Path> };

/** Filters as the page has them: what is undefined or empty is not sent. */
export type Query<Path extends GetPath> = {
  [Name in keyof QueryOf<Get<Path>>]?: QueryOf<Get<Path>>[Name] | '' | undefined;
};

export type GetRequest<Path extends GetPath> = Params<Path> & { query?: Query<Path> };
export type PostRequest<Path extends PostPath> = Params<Path> & {
  /** Sends it even if the page goes away. */
  keepalive?: boolean;
} & (undefined extends PostBody<Path> ? { body?: undefined } : { body: PostBody<Path> });

/** The last argument of a call, which may be left out where nothing in it is required. */
export type Optional<Options> = object extends Options ? [options?: Options] : [options: Options];

type AnyParams = Readonly<Record<string, string>> | undefined;
type AnyQuery = Readonly<Record<string, string | number | undefined>>;

/** A path with its parameters filled in. */
export function fillPath(path: string, { params }: { params?: unknown } = {}): string {
  return path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent((params as AnyParams)?.[name] ?? ''),
  );
}

/** A path with its parameters and its query. */
export function addressOf(
  path: string,
  options: { params?: unknown; query?: object | undefined } = {},
): string {
  const given = Object.entries((options.query ?? {}) as AnyQuery).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  const filled = fillPath(path, options);
  return text ? `${filled}?${text}` : filled;
}

/** The URL of a download. */
export function downloadUrl<Path extends GetPath>(
  path: Path,
  ...[options]: Optional<GetRequest<Path>>
): string {
  return urlOf(addressOf(path, options));
}

export function get<Path extends GetPath>(
  path: Path,
  options: GetRequest<Path>,
  signal?: AbortSignal,
): Promise<GetAnswer<Path>> {
  return request(addressOf(path, options), signal ? { signal } : {});
}

export function post<Path extends PostPath>(
  path: Path,
  ...[options]: Optional<PostRequest<Path>>
): Promise<PostAnswer<Path>> {
  const { body = {}, keepalive = false } = (options ?? {}) as { body?: unknown; keepalive?: boolean };
  return sendJson('POST', fillPath(path, options), body, keepalive);
}

/** Sends a PUT or a PATCH. */
export function change<Route extends ChangeRoute>(
  route: Route,
  options: Params<Route>,
  body: ChangeBody<Route>,
): Promise<ChangeAnswer<Route>> {
  const [method, path = ''] = route.split(' ');
  return sendJson(method as SendMethod, fillPath(path, options), body);
}

function sendJson<Answer>(
  method: SendMethod,
  address: string,
  body: unknown,
  keepalive = false,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return request(address, { method, headers, body: JSON.stringify(body), keepalive });
}

export function remove<Path extends DeletePath>(
  path: Path,
  options: Params<Path>,
): Promise<DeleteAnswer<Path>> {
  return request(fillPath(path, options), { method: 'DELETE' });
}

/** Sends a file as it is. */
export function upload<Path extends PostPath>(
  path: Path,
  options: Params<Path>,
  file: File,
): Promise<PostAnswer<Path>> {
  return request(fillPath(path, options), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
}

/** Gets what is not JSON, or what another token than the cookie reads. */
export function getFile<Path extends GetPath>(
  path: Path,
  options: GetRequest<Path>,
  init: Pick<RequestInit, 'headers' | 'signal'>,
): Promise<Response> {
  return send(addressOf(path, options), init);
}

async function request<T>(address: string, init: RequestInit): Promise<T> {
  const response = await send(address, init);
  return (await response.json().catch(() => undefined)) as T;
}

/** Resolves to an answer that is no failure. */
async function send(address: string, init: RequestInit): Promise<Response> {
  const response = await fetch(urlOf(address), {
    ...init,
    // Answers depend on the cookie or a token, and a browser's cache goes by the URL.
    cache: 'no-store',
    credentials: 'same-origin',
  }).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    throw new ApiFailure(0, { error: 'The gateway does not answer. Check your connection.' });
  });
  noteWarnings(response.headers);
  if (response.ok) return response;
  const answer: unknown = await response.json().catch(() => undefined);
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new ApiFailure(
    response.status,
    isFailure(answer) ? answer : { error: `The gateway answered ${response.status}.` },
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

const isFailure = (answer: unknown): answer is Failure =>
  typeof answer === 'object' && answer !== null && typeof (answer as Failure).error === 'string';
