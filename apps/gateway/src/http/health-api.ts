import { Type } from 'typebox';
import type { ApiDescription } from './openapi/api-description.ts';

/** OpenAPI descriptions of the health routes. */

const common = { tag: 'Service', security: [], errors: [] } as const;

export const healthApi: ApiDescription = {
  ...common,
  id: 'getHealth',
  summary: 'Check whether the gateway is up',
  answers: { 200: { description: 'The gateway is up.', example: { status: 'healthy', uptime: 123.4 } } },
};

const readiness = (...statuses: string[]) => ({
  'application/json': { schema: Type.Object({ status: Type.Enum(statuses) }) },
});

export const readyApi: ApiDescription = {
  ...common,
  id: 'getReadiness',
  summary: 'Check whether the gateway takes requests',
  description: 'For load balancers.',
  answers: {
    200: { description: 'It takes requests.', content: readiness('ready') },
    503: { description: 'It takes no requests.', content: readiness('draining', 'store unavailable') },
  },
};
