import { apiKeyPattern } from '@turnpike/contract/ids';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { AccountRow } from '../store/tables.ts';
import { ApiError } from './api-error.ts';

/**
 * How a route knows its caller:
 * - `none`: it does not, and answers anyone.
 * - `key`: by an account's API key.
 * - `cookie`: by the cookie of somebody who is signed in and has the route's `role`.
 * - `key-or-cookie`: by an account's API key, or by the cookie of the account's user.
 * - `token`: by a token that the route checks itself: an operator's, one for statistics, or that of a share link.
 *
 * Calls of the cluster have a server of their own, which accepts nothing that is not signed (`hosts/private-side.ts`).
 */
export type Access = { auth: 'none' | 'key' | 'key-or-cookie' | 'token' } | { auth: 'cookie'; role: Role };

/** Who may call with a cookie: the user of an account, an operator, or either. */
export type Role = 'account' | 'operator' | 'either';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller's account, with `key` and `key-or-cookie`, and with `cookie` for the role `account`. */
    account: AccountRow;
  }
  interface FastifyContextConfig {
    auth: Access['auth'];
    role?: Role;
    /** The route checks the key itself (`authenticated`), in one statement with its own query. */
    asksWithKey?: boolean;
    /** Accepts the key as the `token` query parameter too (GET /connect). */
    keyInQuery?: boolean;
    /** Accepts the key in either part of the user information of a URL too. */
    keyInUserInfo?: boolean;
  }
}

/** Finds the account of a key by the key's hash. */
export type FindAccount = (keyHash: string) => Promise<AccountRow | undefined>;

/** Authenticates by cookie: `users/cookie-auth.ts`. */
export interface CookieAuth {
  isPresented(request: FastifyRequest): boolean;
  authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/**
 * Authenticates every request in the store, so that a rotated key or a suspension takes effect on the next one. A route
 * that does not say how it knows its caller cannot be registered after this call.
 */
export function authenticate(app: FastifyInstance, findAccount: FindAccount, cookies: CookieAuth): void {
  app.decorateRequest('account', null as unknown as AccountRow);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.auth || (config.auth === 'cookie' && !config.role))
      throw new Error(`${method} ${url} does not say who may call it: config.auth, and role for a cookie.`);
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { auth, asksWithKey } = request.routeOptions.config;
    if (request.is404 || auth === 'none' || auth === 'token' || asksWithKey) return done();
    if (auth === 'cookie' || (auth === 'key-or-cookie' && hasCookieOnly(request))) {
      cookies.authenticate(request, reply).then(() => done(), done);
      return;
    }
    authenticated(request, findAccount).then((account) => {
      request.account = account;
      done();
    }, done);
  });

  const hasCookieOnly = (request: FastifyRequest) =>
    request.headers['x-api-key'] === undefined && !keyAsBearer(request) && cookies.isPresented(request);
}

/** Finds the account of the request's key, with whatever else `find` reads in the same statement. */
export async function authenticated<Account extends Pick<AccountRow, 'id' | 'status'>>(
  request: FastifyRequest,
  find: (keyHash: string) => Promise<Account | undefined>,
  key = presentedKey(request),
): Promise<Account> {
  if (!key) throw new ApiError('missingKey', otherToken(bearerIn(request.headers.authorization)));
  if (!apiKeyPattern.test(key)) throw new ApiError('invalidKey', otherToken(key));
  const account = await request.span.step('authenticate', () => find(hashSecret(key)).catch(unavailable));
  if (account?.status !== 'active') throw new ApiError('invalidKey');
  request.logFields.accountId = account.id;
  return account;
}

function presentedKey(request: FastifyRequest): string {
  const header = request.headers['x-api-key'];
  if (header) return String(header);
  const { keyInQuery, keyInUserInfo } = request.routeOptions.config;
  const token = keyInQuery ? (request.query as Record<string, unknown>)['token'] : undefined;
  if (token !== undefined) return String(token);
  return (keyInUserInfo ? keyInAuthorization(request.headers.authorization) : keyAsBearer(request)) ?? '';
}

/** Finds an API key in `Authorization: Bearer`. Other tokens there are for someone else, such as a proxy in front. */
function keyAsBearer({ headers }: FastifyRequest): string | undefined {
  const token = bearerIn(headers.authorization);
  return token !== undefined && apiKeyPattern.test(token) ? token : undefined;
}

const bearerIn = (header: string | undefined): string | undefined =>
  /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];

/** Tokens that are no API keys, and what each is for. */
const otherTokens: readonly [RegExp, string][] = [
  [/^tpapi_[0-9a-f]{64}$/, 'This is a statistics token, which reads bandwidth only.'],
  [/^tpop_[0-9a-f]{64}$/, 'This is an operator token, which is for the operator API only.'],
];

/** Tells whoever sends a token of another kind. The messages are the contract's. */
function otherToken(token = ''): { detail?: string } {
  const kind = otherTokens.find(([pattern]) => pattern.test(token))?.[1];
  return kind === undefined ? {} : { detail: `${kind} ${sendKey}` };
}

const sendKey = 'Send your API key, tp_live_…, in the x-api-key header.';

/** Finds an API key in an `Authorization` header: a bearer token, or either part of a URL's user information. */
export function keyInAuthorization(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(\w+) (\S+)$/.exec(header ?? '') ?? [];
  const isBasic = scheme.toLowerCase() === 'basic';
  const given = isBasic ? Buffer.from(value, 'base64').toString('utf8').split(':') : [value];
  return given.find((text) => apiKeyPattern.test(text));
}

function unavailable(cause: unknown): never {
  throw new ApiError('authenticationUnavailable', { cause });
}
