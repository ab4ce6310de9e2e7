import type { ApiDescription } from '../http/openapi/api-description.ts';

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
