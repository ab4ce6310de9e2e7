import { Type } from 'typebox';
import type { ApiDescription } from './api-description.ts';

/** OpenAPI descriptions of the health routes. */

const common = { tag: 'Service', security: [], errors: [] } as const;

export const healthApi: ApiDescription = {
  ...common,
  id: 'getHealth',
  summary: 'Ask whether the gateway is up',
  answers: { 200: { description: 'It is.', example: { status: 'healthy', uptime: 123.4 } } },
};

const readiness = (...statuses: string[]) => ({
  'application/json': { schema: Type.Object({ status: Type.Enum(statuses) }) },
});

export const readyApi: ApiDescription = {
  ...common,
  id: 'getReadiness',
  summary: 'Ask whether to send requests here',
  description: 'For load balancers.',
  answers: {
    200: { description: 'Send requests.', content: readiness('ready') },
    503: { description: 'Send none.', content: readiness('draining', 'store unavailable') },
  },
};
