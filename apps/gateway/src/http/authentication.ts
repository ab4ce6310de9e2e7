import { apiKeyPattern } from '@turnpike/contract/ids';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findAccountByKeyHash } from '../accounts/account-store.ts';
import { hashSecret } from '../accounts/secrets.ts';
import type { Database } from '../store/database.ts';
import type { AccountRow } from '../store/tables.ts';
import { ApiError } from './api-error.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by authentication on every route but those with `config.open`. */
    account: AccountRow;
  }
  interface FastifyContextConfig {
    /** Needs no key. */
    open?: boolean;
    /** Takes the key as the `token` query parameter too (GET /connect). */
    keyInQuery?: boolean;
  }
}

/** Every request asks the store: a key is dead, and an account suspended, from the next request on. */
export function authenticate(app: FastifyInstance, db: Database): void {
  app.decorateRequest('account', null as unknown as AccountRow);
  app.addHook('onRequest', async (request) => {
    if (request.is404 || request.routeOptions.config.open) return;
    const key = presentedKey(request);
    if (!key) throw new ApiError('missingKey');
    if (!apiKeyPattern.test(key)) throw new ApiError('invalidKey');
    const account = await request.span.step('authenticate', () => findAccount(db, key));
    if (account?.status !== 'active') throw new ApiError('invalidKey');
    request.account = account;
    request.learnt.accountId = account.id;
  });
}

function presentedKey(request: FastifyRequest): string {
  const header = request.headers['x-api-key'];
  if (header) return String(header);
  if (!request.routeOptions.config.keyInQuery) return '';
  return String((request.query as Record<string, unknown>)['token'] ?? '');
}

async function findAccount(db: Database, key: string): Promise<AccountRow | undefined> {
  try {
    return await findAccountByKeyHash(db, hashSecret(key));
  } catch (error) {
    throw new ApiError('authenticationUnavailable', { cause: error });
  }
}
