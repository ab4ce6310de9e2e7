import type { ApiDescription } from '../http/api-description.ts';

/** OpenAPI descriptions of the account routes. */

const common = { tag: 'Account', security: ['apiKey'], errors: [] } as const;

export const limitsApi: ApiDescription = {
  ...common,
  id: 'getLimits',
  summary: 'Read the concurrency limit and what is free of it',
  description: 'Does not count in the window of creates.',
  answers: {
    200: {
      description: 'The limit as it is now.',
      example: { limit: 5, active: 2, remaining: 3, unlimited: false },
    },
  },
};

export const meApi: ApiDescription = {
  ...common,
  id: 'getMe',
  summary: 'Read the account',
  answers: { 200: { description: 'Profile, limits and lifetime usage. No key and no token is in it.' } },
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
    'The old key is dead before the answer is sent, on every gateway. Running sessions go on. No body.',
  answers: { 200: { description: 'The new key, shown this once.' } },
  errors: ['badRequest'],
};
