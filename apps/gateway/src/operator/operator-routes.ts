import { JsonTooDeepError } from '@turnpike/process/bounded-json';
import type { FastifyInstance } from 'fastify';
import { ingestUsage, splitBatch } from '../bandwidth/ingest-usage.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { rawBody } from '../http/json-body.ts';
import { ingestApi } from './operator-api.ts';
import type { OperatorAuth } from './operator-auth.ts';

const maxBatchBytes = 32 * 2 ** 20;

/** Takes usage records from an operator's programs. */
export function operatorRoutes(
  app: FastifyInstance,
  gateway: Gateway,
  { prefix, onRequest }: OperatorAuth,
): void {
  const config = { open: true, maxBodyBytes: maxBatchBytes, api: ingestApi };

  app.post(`${prefix}/usage`, { config, onRequest }, async (request) => {
    const body = rawBody(request);
    if (!body.ok) throw new ApiError('badRequest', { message: body.rule });
    return ingestUsage(gateway, batchOf(body.bytes), request.actor.name);
  });
}

function batchOf(bytes: Uint8Array): (() => unknown)[] {
  try {
    return splitBatch(bytes);
  } catch (cause) {
    const message =
      cause instanceof JsonTooDeepError
        ? cause.message
        : 'body must be a JSON list of records, or NDJSON, in UTF-8';
    throw new ApiError('badRequest', { message, cause });
  }
}
