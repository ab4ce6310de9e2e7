import { JsonTooDeepError } from '@turnpike/process/bounded-json';
import { ingestUsage, splitBatch, TooManyRecordsError } from '../bandwidth/ingest-usage.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { rawBody } from '../http/json-body.ts';
import type { Routes } from '../http/routes.ts';
import { ingestApi } from './operator-api.ts';
import type { OperatorAuth } from './operator-auth.ts';

const maxBatchBytes = 32 * 2 ** 20;

/** Takes usage records from an operator's programs. */
export function operatorRoutes(app: Routes, gateway: Gateway, { prefix, options }: OperatorAuth): void {
  const described = options(ingestApi);
  const large = { ...described, config: { ...described.config, maxBodyBytes: maxBatchBytes } };

  app.post(`${prefix}/usage`, large, async (request) => {
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
      cause instanceof JsonTooDeepError || cause instanceof TooManyRecordsError
        ? cause.message
        : 'body must be a JSON list of records, or NDJSON, in UTF-8';
    throw new ApiError('badRequest', { message, cause });
  }
}
