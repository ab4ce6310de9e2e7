import {
  AccountsQuery,
  AccountUsage,
  LimitChange,
  NewAccount,
  type OperatorLimits,
} from '@turnpike/contract/dashboard/operator-pages';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of an operator's routes for accounts. */

const common = { tag: 'Operator', security: ['operatorToken'] } as const;

/** Describes a route for one account. */
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
  summary: 'Create an account',
  body: json(NewAccount, { email: 'ann@example.com', name: 'Ann', limits }),
  answers: {
    200: { description: 'The account, its secrets and a link for signing in. They are shown only once.' },
  },
  errors: ['badRequest'],
};

export const accountApi = ofAccount('getAccount', 'Read an account', 'The account.');

export const accountUsageApi = ofAccount(
  'getAccountUsage',
  "Read an account's usage",
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

export const changeLimitsApi = ofAccount(
  'changeLimits',
  'Change the limits of an account',
  'The account. The limits take effect on its next request.',
  {
    description: 'Members that you leave out stay as they are. Null means unlimited.',
    body: json(LimitChange, limits),
  },
);

export const accountActionApis = {
  suspend: ofAccount(
    'suspendAccount',
    'Suspend an account',
    'The account. Its key gets 401 from its next request on.',
  ),
  reinstate: ofAccount('reinstateAccount', 'Reinstate a suspended account', 'The account.'),
  invitation: ofAccount(
    'inviteAccount',
    'Make a link to sign in by',
    'A link that works once, within 7 days.',
  ),
  reset: ofAccount(
    'resetPassword',
    'Make a link to set a new password by',
    'A link that works once, within 1 hour.',
  ),
  rotateKey: ofAccount(
    'rotateAccountKey',
    "Replace an account's API key",
    'The new key. It is shown only once.',
  ),
};
