import { AccountSettings } from '@turnpike/contract/account';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the account routes. */

const common = { tag: 'Account', security: ['apiKey'], errors: [] } as const;

export const limitsApi: ApiDescription = {
  ...common,
  id: 'getLimits',
  summary: 'Read the concurrency limit and the free slots',
  description: 'Does not count as a create.',
  answers: {
    200: {
      description: 'The limit, and the slots in use now.',
      example: { limit: 5, active: 2, remaining: 3, unlimited: false },
    },
  },
};

export const meApi: ApiDescription = {
  ...common,
  id: 'getMe',
  summary: 'Read the account',
  answers: { 200: { description: 'Profile, limits and lifetime usage, without keys and tokens.' } },
};

export const usageApi: ApiDescription = {
  ...common,
  id: 'getUsage',
  summary: 'Read usage by day',
  answers: { 200: { description: 'Totals, and up to 30 UTC days on which sessions ended, oldest first.' } },
};

export const regenerateKeyApi: ApiDescription = {
  ...common,
  id: 'regenerateKey',
  summary: 'Replace the API key',
  description:
    'The old key stops working on every gateway before the answer is sent. Running sessions go on. No body.',
  answers: { 200: { description: 'The new key. It is shown only once.' } },
  errors: ['badRequest'],
};

export const settingsApi: ApiDescription = {
  ...common,
  id: 'getSettings',
  summary: "Read the account's own settings",
  answers: { 200: { description: 'What the account has decided for itself.', example: { pageCalls: true } } },
};

export const changeSettingsApi: ApiDescription = {
  ...common,
  id: 'changeSettings',
  summary: "Change the account's own settings",
  description:
    '`pageCalls: false` refuses page calls and crawls of this account with 403 `PAGE_CALLS_OFF`, also at the addresses ' +
    'of Browserless. Crawls that run load what their sessions have begun, and then wait.',
  body: json(AccountSettings, { pageCalls: false }),
  answers: { 200: { description: 'They count from the next request on.', example: { pageCalls: false } } },
  errors: ['badRequest'],
};
