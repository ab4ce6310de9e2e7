import { products } from '@turnpike/contract/bandwidth';
import { parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import { AccountsQuery } from '@turnpike/contract/dashboard/operator-pages';
import { operatorRoutes } from '@turnpike/contract/dashboard/routes';
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { findAccountById } from '../accounts/account-store.ts';
import {
  createAccount,
  reinstateAccount,
  rotateKey,
  setLimits,
  suspendAccount,
} from '../accounts/manage-account.ts';
import { usageByDay } from '../accounts/usage-by-day.ts';
import { readSummary } from '../bandwidth/read-bandwidth.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { parsePage } from '../http/page-query.ts';
import { parseWith } from '../http/parse-with.ts';
import { publicUrlOf } from '../http/public-url.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import type { AccountRow } from '../store/tables.ts';
import { pageOf } from '../store/time-page.ts';
import { inviteAccount } from '../users/links.ts';
import {
  accountActionApis,
  accountApi,
  accountsApi,
  accountUsageApi,
  changeLimitsApi,
  newAccountApi,
} from './operator-account-api.ts';
import type { OperatorAuth } from './operator-auth.ts';
import { accountFacts, searchAccounts } from './overview-store.ts';
import { limitColumns, presentAccount } from './present-operator.ts';

const windowDays = 30;
const Filters = Type.Omit(AccountsQuery, ['limit', 'cursor']);
type WithId = { Params: { id: string } };

/** Routes on accounts, for operators. */
export function operatorAccountRoutes(
  app: Routes,
  gateway: Gateway,
  { prefix, options }: OperatorAuth,
): void {
  const { db, now, sealer } = gateway;
  const { answer, answerExactly } = typedRoutes(app, operatorRoutes, prefix);

  answer('GET /accounts', options(accountsApi), async ({ query }) => {
    const { limit, ...request } = { ...parseWith(Filters, query), ...parsePage(query) };
    const rows = await searchAccounts(db, { ...request, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }));
    const facts = await accountFacts(
      db,
      page.map(({ id }) => id),
      now(),
    );
    return { accounts: page.map((row) => presentAccount(row, facts(row.id))), nextCursor };
  });

  answer('POST /accounts', options(newAccountApi), async (request, _reply, readBody) => {
    const { email, name = '', limits = {} } = readBody();
    const by = { publicUrl: publicUrlOf(gateway, request), by: request.actor, now };
    const { invitation, account, ...secrets } = await db.transaction().execute(async (trx) => {
      const wanted = { email, name, limits: limitColumns(limits) };
      const created = await createAccount(trx, sealer, wanted, request.actor);
      return { ...created, invitation: await inviteAccount(trx, created.account.email, by) };
    });
    return { account: await present(account), ...secrets, invitation };
  });

  answer('GET /accounts/:id', options(accountApi), async (request) => present(await find(request)));

  answerExactly('GET /accounts/:id/usage', options(accountUsageApi), async (request) => {
    const account = await find(request);
    const { from = windowStart(now(), windowDays), to } = request.query;
    const range = parseRange(from, to, utcDay(now()));
    if (!range.ok) throw new ApiError('badRequest', { message: range.rule });
    const [usage, bandwidth] = await Promise.all([
      usageByDay(db, account, range),
      Promise.all(products.map((product) => readSummary(db, { accountId: account.id, product }, now()))),
    ]);
    return { usage, bandwidth };
  });

  answer('POST /accounts/:id/limits', options(changeLimitsApi), async (request, _reply, readBody) => {
    const change = limitColumns(readBody());
    if (Object.keys(change).length === 0)
      throw new ApiError('badRequest', { message: 'Nothing to change: give at least one limit' });
    const { email } = await find(request);
    return present(await setLimits(db, email, change, request.actor));
  });

  for (const [action, change] of [
    ['suspend', suspendAccount],
    ['reinstate', reinstateAccount],
  ] as const) {
    answer(`POST /accounts/:id/${action}`, options(accountActionApis[action]), async (request) => {
      const { email } = await find(request);
      return present(await change(db, email, request.actor));
    });
  }

  for (const kind of ['invitation', 'reset'] as const) {
    answer(`POST /accounts/:id/${kind}`, options(accountActionApis[kind]), async (request) => {
      const { email } = await find(request);
      return inviteAccount(db, email, {
        publicUrl: publicUrlOf(gateway, request),
        by: request.actor,
        kind,
        now,
      });
    });
  }

  answer('POST /accounts/:id/rotate-key', options(accountActionApis.rotateKey), async (request) => {
    const { email } = await find(request);
    const { apiKey } = await rotateKey(db, email, request.actor);
    return { apiKey };
  });

  async function find({ params, logFields }: FastifyRequest<WithId>): Promise<AccountRow> {
    const account = await findAccountById(db, params.id.replaceAll('\0', ''));
    if (!account) throw new ApiError('noSuchAccount');
    logFields.accountId = account.id;
    return account;
  }

  async function present(account: AccountRow) {
    return presentAccount(account, (await accountFacts(db, [account.id], now()))(account.id));
  }
}
