import {
  AccountsQuery,
  AccountUsage,
  LimitChange,
  NewAccount,
  type OperatorLimits,
} from '@turnpike/contract/dashboard/operator-pages';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/api-description.ts';

/** What the OpenAPI document says of an operator's routes on accounts. */

const common = { tag: 'Operator', security: ['operatorToken'] } as const;
const json = (schema: Type.TSchema, example: unknown) => ({
  required: true,
  content: { 'application/json': { schema, example } },
});

/** A route on one account. */
const ofAccount = (
  id: string,
  summary: string,
  answer: string,
  rest: Partial<ApiDescription> = {},
): ApiDescription => ({
  ...common,
  id,
  summary,
  params: Type.Object({ id: Type.String({ description: "The account's id, `acc_…`" }) }),
  answers: { 200: { description: answer } },
  errors: ['badRequest', 'noSuchAccount'],
  ...rest,
});

const limits: Partial<OperatorLimits> = { concurrent: 20, browserSecondsCap: null };

export const accountsApi: ApiDescription = {
  ...common,
  id: 'listAccounts',
  summary: 'Find accounts',
  query: AccountsQuery,
  answers: { 200: { description: 'A page, newest first.' } },
  errors: ['badRequest'],
};

export const newAccountApi: ApiDescription = {
  ...common,
  id: 'createAccount',
  summary: 'Make an account',
  body: json(NewAccount, { email: 'ann@example.com', name: 'Ann', limits }),
  answers: { 200: { description: 'The account, its secrets and a link to sign in by, shown this once.' } },
  errors: ['badRequest'],
};

export const accountApi = ofAccount('getAccount', 'Read an account', 'The account.');

export const accountUsageApi = ofAccount(
  'getAccountUsage',
  'Read what an account has used',
  'Sessions by day, and bandwidth of the last 30 days by product.',
  {
    query: Type.Object({
      from: Type.Optional(Type.String({ format: 'date', description: 'Default: 30 days back' })),
      to: Type.Optional(Type.String({ format: 'date', description: 'Default: today' })),
    }),
    answers: {
      200: {
        description: 'Sessions by day, and bandwidth of the last 30 days by product.',
        content: { 'application/json': { schema: AccountUsage } },
      },
    },
  },
);

export const limitsApi = ofAccount(
  'changeLimits',
  'Change the limits of an account',
  'The account, which has them from its next request on.',
  {
    description: 'Members that are left out stay as they are; null is unlimited.',
    body: json(LimitChange, limits),
  },
);

export const accountActionApis = {
  suspend: ofAccount('suspendAccount', 'Suspend an account', 'Its key is 401 from its next request on.'),
  reinstate: ofAccount('reinstateAccount', 'Let a suspended account work again', 'The account.'),
  invitation: ofAccount(
    'inviteAccount',
    'Make a link to sign in by',
    'The link, which works once, for 7 days.',
  ),
  reset: ofAccount(
    'resetPassword',
    'Make a link to set a new password by',
    'The link, which works once, for 1 hour.',
  ),
  rotateKey: ofAccount('rotateAccountKey', "Replace an account's API key", 'The new key, shown this once.'),
};
