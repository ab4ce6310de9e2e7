import { AccountTraffic, SessionTraffic } from '@turnpike/contract/traffic-answers';
import { Type } from 'typebox';
import type { ApiDescription, Content } from '../http/openapi/api-description.ts';
import { accountTrafficHeader, sessionTrafficHeader } from './traffic-csv.ts';

/** OpenAPI descriptions of the traffic routes. */

const use = { requests: 0, tunnels: 3, bytesUp: 5120, bytesDown: 734003, refused: {} };
const nothing = { requests: 0, tunnels: 0, bytesUp: 0, bytesDown: 0, refused: {} };

const headers = Type.Object({
  'content-disposition': Type.Optional(Type.String({ description: 'A file name, of CSV' })),
});

const csv = (header: readonly string[], line: string): Content => ({
  schema: Type.String({ pattern: `^${header.join(',')}\\r\\n` }),
  example: `${header.join(',')}\r\n${line}\r\n`,
});

export const sessionTrafficApi: ApiDescription = {
  id: 'getBrowserTraffic',
  tag: 'Sessions',
  summary: "Read where a session's traffic went",
  description:
    'By destination, the largest first. While the session runs it is live, open connections included. Once it has ' +
    'it is final, and readable as long as the session is. The sums are `bytesUp` and `bytesDown` exactly.\n\n' +
    '`proxies` says what each proxy has carried and what that cost, where saved proxies have a price. A destination has ' +
    '`proxy` if the session has used more than one.\n\n' +
    "The host's own handshake with the proxy, before the browser is used, is under `turnpike-check.invalid`.\n\n" +
    'With `Accept: text/csv` it is a CSV file. Its last line, without a host, has all other destinations.',
  security: ['apiKey'],
  params: Type.Object({ id: Type.String({ description: 'The session id or the CDP id' }) }),
  answers: {
    200: {
      description: 'The traffic.',
      headers,
      content: {
        'application/json': {
          schema: SessionTraffic,
          example: {
            browserId: 'br_0123456789abcdef01234567',
            status: 'ACTIVE',
            live: true,
            asOf: '2026-11-15T12:05:00.000Z',
            bytesUp: 5120,
            bytesDown: 734003,
            bytesFromCache: 0,
            maxBytes: null,
            maxBytesReached: false,
            refused: {},
            destinations: [
              {
                host: 'example.com',
                port: 443,
                ...use,
                firstAt: '2026-11-15T12:00:01.000Z',
                lastAt: '2026-11-15T12:04:58.000Z',
              },
            ],
            other: nothing,
            proxies: [
              {
                proxy: 'name:shop-de',
                bytesUp: 5120,
                bytesDown: 734003,
                connections: 3,
                failures: {},
                cost: 0.003326,
              },
            ],
            cost: 0.003326,
            costOfOneProxy: 0.003326,
            estimate: null,
          },
        },
        'text/csv': csv(
          sessionTrafficHeader,
          'example.com,443,0,3,5120,734003,0,2026-11-15T12:00:01.000Z,2026-11-15T12:04:58.000Z,name:shop-de',
        ),
      },
    },
  },
  errors: ['sessionNotFound', 'tooManyReads', 'busy'],
};

export const maxLimit = 1000;
export const defaultLimit = 100;

export const accountTrafficApi: ApiDescription = {
  id: 'getTraffic',
  tag: 'Account',
  summary: "Read the account's traffic by day and destination",
  description:
    'UTC days on which sessions ended, the latest first, and the largest destinations of each. The sums of a day are ' +
    'the bytes of `/user/api/usage`. With `Accept: text/csv` it is a CSV file; the line of a day without a host has ' +
    'all other destinations.',
  security: ['apiKey'],
  query: Type.Object({
    from: Type.Optional(
      Type.String({ format: 'date', description: 'First day. Default: 29 days before today' }),
    ),
    to: Type.Optional(Type.String({ format: 'date', description: 'Last day. Default: today' })),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxLimit,
        default: defaultLimit,
        description: 'Destinations of each day. The others are added up',
      }),
    ),
  }),
  answers: {
    200: {
      description: 'The days.',
      headers,
      content: {
        'application/json': { schema: AccountTraffic },
        'text/csv': csv(accountTrafficHeader, '2026-11-15,example.com,443,0,3,5120,734003,0'),
      },
    },
  },
  errors: ['badRequest', 'tooManyReads', 'busy'],
};
