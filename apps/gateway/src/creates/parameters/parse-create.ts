import { createParameters } from '@turnpike/contract/create-parameters';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../http/api-error.ts';
import { type JsonBody, rawBody } from '../../http/json-body.ts';
import type { CreateContext } from '../create-context.ts';
import { type Claim, claimOf, parseIdempotencyKey } from '../idempotency.ts';
import {
  metadataOfQuery,
  parseConnectQuery,
  parseCreateBody,
  type RawParams,
  type SentParams,
} from './create-params.ts';
import { createWarnings } from './create-warnings.ts';
import { malformed } from './parse-parameter.ts';

/**
 * A create, parsed once at the edge and passed on whole. What is wrong with it is a value too: a create is refused for
 * it after the limits are checked, in the order of the contract.
 */
export type ParsedCreate = { /** What it asks for and does not get. */ warnings: readonly string[] } & (
  | (SentParams & { ok: true; claim: Claim | undefined })
  | {
      ok: false;
      error: unknown;
      /** It is no JSON object. The window of creates counts it, and no other limit is asked. */
      isUnreadable?: boolean;
    }
);

type ParseContext = Pick<CreateContext, 'canRecord'>;

/** Parses `GET /connect`. */
export function parseConnect(context: ParseContext, request: FastifyRequest): ParsedCreate {
  const query = request.query as RawParams;
  const { metadata } = query;
  const isDropped = Boolean(metadata) && metadataOfQuery(metadata) === undefined;
  const warnings = [...createWarnings(query), ...(isDropped ? [metadataDropped] : [])];
  return parsed(context, request, warnings, (defaultProxy) => parseConnectQuery(query, defaultProxy));
}

const metadataDropped = `metadata: not a JSON object of at most ${createParameters.metadata.maxBytes} bytes, so it was dropped`;

/** Parses `POST /api/browser/create`. */
export function parseCreate(context: ParseContext, request: FastifyRequest, body: JsonBody): ParsedCreate {
  if (!body.ok) {
    const error = new ApiError('malformedParams', { because: body.rule });
    return { ok: false, error, warnings: [], isUnreadable: true };
  }
  return parsed(context, request, createWarnings(body.value), (defaultProxy) => {
    const sent = rawBody(request);
    return parseCreateBody(body.value, sent.ok ? sent.bytes : undefined, defaultProxy);
  });
}

/**
 * Parses parameters that came as a JSON object inside something else. An Idempotency-Key is for `work` as well, and
 * `otherNames` are those that the call takes beside them.
 */
export const parseCreateOptions = (
  context: ParseContext,
  request: FastifyRequest,
  options: Record<string, unknown>,
  { work, otherNames = [] }: { work?: object; otherNames?: readonly string[] } = {},
): ParsedCreate =>
  parsed(
    context,
    request,
    createWarnings(options, otherNames),
    (defaultProxy) => parseCreateBody(options, undefined, defaultProxy),
    work,
  );

function parsed(
  { canRecord }: ParseContext,
  { account, headers }: FastifyRequest,
  warnings: readonly string[],
  parseParams: (defaultProxy: string | null) => SentParams,
  work?: object,
): ParsedCreate {
  try {
    const header = headers['idempotency-key'];
    const key = header === undefined ? undefined : parseIdempotencyKey(header);
    const sent = parseParams(account.default_proxy);
    if (!canRecord && sent.params.browser.record)
      throw malformed('record', 'needs a place for recordings. The operator sets TURNPIKE_RECORDINGS_URL');
    return {
      ...sent,
      ok: true,
      warnings,
      claim:
        key === undefined
          ? undefined
          : claimOf(account.id, key, work ? { ...sent.params, work } : sent.params),
    };
  } catch (error) {
    return { ok: false, error, warnings };
  }
}
