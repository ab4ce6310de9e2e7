import { products } from '@turnpike/contract/bandwidth';
import { parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import {
  AccountPage,
  AccountsQuery,
  LimitChange,
  MadeLink,
  NewAccount,
  NewAccountSecrets,
  NewApiKey,
  OperatorAccount,
} from '@turnpike/contract/dashboard';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
import type { ApiDescription } from '../http/api-description.ts';
import { ApiError } from '../http/api-error.ts';
import { parsePage } from '../http/page-query.ts';
import { parseBody, parseWith } from '../http/parse-with.ts';
import { publicUrlOf } from '../http/public-url.ts';
import { sendExactly } from '../http/send-exactly.ts';
import type { AccountRow } from '../store/tables.ts';
import { pageOf } from '../store/time-page.ts';
import { inviteAccount } from '../users/links.ts';
import {
  accountActionApis,
  accountApi,
  accountsApi,
  accountUsageApi,
  limitsApi,
  newAccountApi,
} from './operator-account-api.ts';
import type { OperatorAuth } from './operator-auth.ts';
import { accountFacts, searchAccounts } from './overview-store.ts';
import { limitColumns, presentAccount } from './present-operator.ts';

const windowDays = 30;
const Filters = Type.Omit(AccountsQuery, ['limit', 'cursor']);
type WithId = { Params: { id: string } };

/** What an operator does with accounts. */
export function operatorAccountRoutes(
  app: FastifyInstance,
  gateway: Gateway,
  { prefix, onRequest, describe }: OperatorAuth,
): void {
  const { db, now, sealer } = gateway;
  const described = (api: ApiDescription) => ({
    config: { open: true, namesFields: true, api: describe(api) },
    onRequest,
  });
  const answering = (schema: object, api: ApiDescription) => ({
    ...described(api),
    schema: { response: { 200: schema } },
  });

  app.get(`${prefix}/accounts`, answering(AccountPage, accountsApi), async ({ query }) => {
    const { limit, ...request } = { ...parsePage(query), ...parseWith(Filters, query) };
    const rows = await searchAccounts(db, { ...request, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }));
    const facts = await accountFacts(
      db,
      page.map(({ id }) => id),
      now(),
    );
    return { accounts: page.map((row) => presentAccount(row, facts(row.id))), nextCursor };
  });

  app.post(`${prefix}/accounts`, answering(NewAccountSecrets, newAccountApi), async (request) => {
    const { email, name = '', limits = {} } = parseBody(request, NewAccount);
    const options = { publicUrl: publicUrlOf(gateway, request), by: request.actor, now };
    const { invitation, account, ...secrets } = await db.transaction().execute(async (trx) => {
      const wanted = { email, name, limits: limitColumns(limits) };
      const made = await createAccount(trx, sealer, wanted, request.actor);
      return { ...made, invitation: await inviteAccount(trx, made.account.email, options) };
    });
    return { account: await present(account), ...secrets, invitation };
  });

  app.get<WithId>(`${prefix}/accounts/:id`, answering(OperatorAccount, accountApi), async (request) =>
    present(await find(request)),
  );

  app.get<WithId>(`${prefix}/accounts/:id/usage`, described(accountUsageApi), async (request, reply) => {
    const account = await find(request);
    const { from = windowStart(now(), windowDays), to } = request.query as Record<string, unknown>;
    const range = parseRange(from, to, utcDay(now()));
    if (!range.ok) throw new ApiError('badRequest', { message: range.rule });
    const [usage, bandwidth] = await Promise.all([
      usageByDay(db, account, range),
      Promise.all(products.map((product) => readSummary(db, { accountId: account.id, product }, now()))),
    ]);
    return sendExactly(reply, { usage, bandwidth });
  });

  app.post<WithId>(
    `${prefix}/accounts/:id/limits`,
    answering(OperatorAccount, limitsApi),
    async (request) => {
      const change = limitColumns(parseBody(request, LimitChange));
      if (Object.keys(change).length === 0)
        throw new ApiError('badRequest', { message: 'nothing to change' });
      const { email } = await find(request);
      return present(await setLimits(db, email, change, request.actor));
    },
  );

  for (const [action, change] of [
    ['suspend', suspendAccount],
    ['reinstate', reinstateAccount],
  ] as const) {
    app.post<WithId>(
      `${prefix}/accounts/:id/${action}`,
      answering(OperatorAccount, accountActionApis[action]),
      async (request) => {
        const { email } = await find(request);
        return present(await change(db, email, request.actor));
      },
    );
  }

  for (const kind of ['invitation', 'reset'] as const) {
    app.post<WithId>(
      `${prefix}/accounts/:id/${kind}`,
      answering(MadeLink, accountActionApis[kind]),
      async (request) => {
        const { email } = await find(request);
        return inviteAccount(db, email, {
          publicUrl: publicUrlOf(gateway, request),
          by: request.actor,
          kind,
          now,
        });
      },
    );
  }

  app.post<WithId>(
    `${prefix}/accounts/:id/rotate-key`,
    answering(NewApiKey, accountActionApis.rotateKey),
    async (request) => {
      const { email } = await find(request);
      const { apiKey } = await rotateKey(db, email, request.actor);
      return { apiKey };
    },
  );

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
