import { products } from '@turnpike/contract/bandwidth';
import { Type } from 'typebox';
import { type ApiDescription, json } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the operator's routes. */

const UsageRecord = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'An id counts once, however often it is sent',
  }),
  account: Type.Optional(
    Type.String({ description: "An account's id or e-mail address. Required without `proxyUser`" }),
  ),
  proxyUser: Type.Optional(Type.String({ description: 'A proxy user name. Required without `account`' })),
  product: Type.Enum(products),
  country: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2}$', description: 'ISO 3166-1 alpha-2' })),
  bytes: Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^\\d{1,19}$' })], {
    description: 'Up to 10¹⁸, as a number or as text',
  }),
  at: Type.Union([Type.String({ format: 'date-time' }), Type.Integer()], {
    description: 'ISO 8601 with a zone, or milliseconds since 1970; decides the UTC day',
  }),
});

const IngestResult = Type.Object({
  new: Type.Integer({ description: 'Records that counted' }),
  repeated: Type.Integer({ description: 'Records whose id had counted before' }),
  refused: Type.Integer(),
  errors: Type.Array(
    Type.Object({
      line: Type.Integer({ description: 'Counted from 1, in the order sent' }),
      id: Type.Optional(Type.String()),
      reason: Type.String(),
    }),
  ),
});

const record = {
  id: 'gw1-20261115-000017',
  account: 'ann@example.com',
  product: 'residential',
  country: 'de',
  bytes: 1048576,
  at: '2026-11-15T12:00:00Z',
};

export const ingestApi: ApiDescription = {
  id: 'ingestUsage',
  tag: 'Operator',
  summary: 'Report the usage of a proxy fleet',
  description:
    'A JSON list of records, or NDJSON, up to 32 MiB and 500,000 records. A bad record does not lose the good ones; a batch that got ' +
    'no answer is simply sent again.',
  security: ['operatorToken'],
  body: {
    ...json(Type.Array(UsageRecord), [record]),
    'application/x-ndjson': { schema: Type.String(), example: `${JSON.stringify(record)}\n` },
  },
  answers: {
    200: {
      description: 'How many records counted, and which were refused: `errors` has the first 1,000 of them.',
      content: json(IngestResult, { new: 1, repeated: 0, refused: 0, errors: [] }),
    },
  },
  errors: ['badRequest'],
};
