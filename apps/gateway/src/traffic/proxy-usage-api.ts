import { savedNamePattern } from '@turnpike/contract/ids';
import { ProxyUsageQuery } from '@turnpike/contract/proxies';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the usage of saved proxies and pools. */

const common = {
  tag: 'Proxies',
  security: ['apiKey'],
  params: Type.Object({ name: Type.String({ pattern: savedNamePattern.source }) }),
  query: ProxyUsageQuery,
  errors: ['badRequest', 'notFound'],
} as const;

const example = {
  days: [
    {
      date: '2026-11-18',
      sessions: 12,
      connections: 480,
      failures: 3,
      firstByteMs: 240,
      exitChanges: 0,
      bytesUp: 51200,
      bytesDown: 7340032,
      cost: 0.03326,
    },
  ],
};

const described =
  'Every UTC day of the range, the oldest first. A session counts on the day it ended. `connections` are those to the ' +
  'proxy, `failures` those that did not come about or broke. `cost` is by the price at the time, and null where there ' +
  'was none.';

export const proxyUsageApi: ApiDescription = {
  ...common,
  id: 'getProxyUsage',
  summary: 'Read what a saved proxy has carried by day',
  description: described,
  answers: { 200: { description: 'The days.', example } },
};

export const poolUsageApi: ApiDescription = {
  ...common,
  id: 'getProxyPoolUsage',
  summary: 'Read what a pool has carried by day',
  description: `${described} Only sessions that were opened with the pool count.`,
  answers: { 200: { description: 'The days.', example } },
};
