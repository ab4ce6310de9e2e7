import { apiKeyPattern } from '@turnpike/contract/ids';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { AccountRow } from '../store/tables.ts';
import { ApiError } from './api-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication on every route but those with `config.open` or `config.asksWithKey`. */
    account: AccountRow;
  }
  interface FastifyContextConfig {
    /** Needs no API key. */
    open?: boolean;
    /** Needs a key, which the route checks itself (`authenticated`), in one statement with its own query. */
    asksWithKey?: boolean;
    /** Accepts the key as the `token` query parameter too (GET /connect). */
    keyInQuery?: boolean;
  }
}

/** Finds the account of a key by the key's hash. */
export type FindAccount = (keyHash: string) => Promise<AccountRow | undefined>;

/** Authenticates every request in the store, so that a rotated key or a suspension takes effect on the next one. */
export function authenticate(app: FastifyInstance, findAccount: FindAccount): void {
  app.decorateRequest('account', null as unknown as AccountRow);
  app.addHook('onRequest', (request, _reply, done) => {
    const { open, asksWithKey } = request.routeOptions.config;
    if (open || asksWithKey || request.is404) return done();
    authenticated(request, findAccount).then((account) => {
      request.account = account;
      done();
    }, done);
  });
}

/** Finds the account of the request's key, with whatever else `find` reads in the same statement. */
export async function authenticated<Account extends Pick<AccountRow, 'id' | 'status'>>(
  request: FastifyRequest,
  find: (keyHash: string) => Promise<Account | undefined>,
): Promise<Account> {
  const key = presentedKey(request);
  if (!key) throw new ApiError('missingKey');
  if (!apiKeyPattern.test(key)) throw new ApiError('invalidKey');
  const account = await request.span.step('authenticate', () => find(hashSecret(key)).catch(unavailable));
  if (account?.status !== 'active') throw new ApiError('invalidKey');
  request.logFields.accountId = account.id;
  return account;
}

function presentedKey(request: FastifyRequest): string {
  const header = request.headers['x-api-key'];
  if (header) return String(header);
  if (!request.routeOptions.config.keyInQuery) return '';
  return String((request.query as Record<string, unknown>)['token'] ?? '');
}

function unavailable(cause: unknown): never {
  throw new ApiError('authenticationUnavailable', { cause });
}
