import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hashSecret } from '../accounts/secrets.ts';
import { ingestUsage, splitBatch } from '../bandwidth/ingest-usage.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { rawBody } from '../http/json-body.ts';
import { ingestApi } from './operator-api.ts';
import { findOperatorToken } from './operator-token-store.ts';

const maxBatchBytes = 32 * 2 ** 20;
const tokenPattern = /^Bearer +(tpop_[0-9a-f]{64}) *$/i;

/** What an operator's machines may do, with a token of the operator's. */
export function operatorRoutes(app: FastifyInstance, gateway: Gateway): void {
  const config = { open: true, maxBodyBytes: maxBatchBytes, api: ingestApi };

  app.post('/operator/api/usage', { config, onRequest: authenticateOperator }, async (request) => {
    const body = rawBody(request);
    if (!body.ok) throw new ApiError('badRequest', { message: body.rule });
    return ingestUsage(gateway, batchOf(body.bytes), request.learnt.operatorToken ?? '');
  });

  async function authenticateOperator(request: FastifyRequest): Promise<void> {
    const { authorization } = request.headers;
    if (!authorization) throw new ApiError('missingOperatorToken');
    const token = tokenPattern.exec(authorization)?.[1];
    const known = token && (await findOperatorToken(gateway.db, hashSecret(token)));
    if (!known) throw new ApiError('invalidOperatorToken');
    request.learnt.operatorToken = known.id;
  }
}

function batchOf(bytes: Uint8Array): (() => unknown)[] {
  try {
    return splitBatch(bytes);
  } catch {
    throw new ApiError('badRequest', { message: 'body must be a JSON list of records, or NDJSON, in UTF-8' });
  }
}
