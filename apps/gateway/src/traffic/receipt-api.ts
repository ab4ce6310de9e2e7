import { Receipt, ReceiptKeys } from '@turnpike/contract/receipt';
import { Type } from 'typebox';
import type { ApiDescription } from '../http/openapi/api-description.ts';

/** OpenAPI descriptions of the routes of receipts. */

export const receiptApi: ApiDescription = {
  id: 'getBrowserReceipt',
  tag: 'Sessions',
  summary: 'Get a signed receipt of a session that has ended',
  description:
    "A statement of the session's destinations and bytes, its proxy and its sandbox, signed with the service's " +
    'Ed25519 key (a detached JWS over the statement in canonical JSON, RFC 8785). `turnpike receipt verify` checks ' +
    'it offline. Readable as long as the session is.',
  security: ['apiKey'],
  params: Type.Object({ id: Type.String({ description: 'The session id or the CDP id' }) }),
  answers: {
    200: { description: 'The receipt.', content: { 'application/json': { schema: Receipt } } },
  },
  errors: ['sessionNotFound', 'sessionRunning'],
};

export const receiptKeysApi: ApiDescription = {
  id: 'getReceiptKeys',
  tag: 'Service',
  summary: 'Get the keys that verify receipts',
  description: 'A JSON Web Key Set (RFC 8037) with every key that ever signed receipts of this service.',
  security: [],
  answers: {
    200: {
      description: 'The keys, the oldest first.',
      content: { 'application/json': { schema: ReceiptKeys } },
    },
  },
  errors: [],
};
