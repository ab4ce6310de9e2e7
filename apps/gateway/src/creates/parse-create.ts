import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import { type JsonBody, rawBody } from '../http/json-body.ts';
import type { CreateContext } from './create-context.ts';
import { parseConnectQuery, parseCreateBody, type RawParams, type SentParams } from './create-params.ts';
import { type Claim, claimOf, parseIdempotencyKey } from './idempotency.ts';
import { malformed } from './parse-parameter.ts';

/**
 * A create, parsed once at the edge and passed on whole. What is wrong with it is a value too: a create is refused for
 * it after the limits are checked, in the order of the contract.
 */
export type ParsedCreate =
  | (SentParams & { ok: true; claim: Claim | undefined })
  | { ok: false; error: unknown };

type ParseContext = Pick<CreateContext, 'canRecord'>;

/** Parses `GET /connect`. */
export const parseConnect = (context: ParseContext, request: FastifyRequest): ParsedCreate =>
  parsed(context, request, (defaultProxy) => parseConnectQuery(request.query as RawParams, defaultProxy));

/** Parses `POST /api/browser/create`. */
export const parseCreate = (context: ParseContext, request: FastifyRequest, body: JsonBody): ParsedCreate =>
  parsed(context, request, (defaultProxy) => {
    if (!body.ok) throw new ApiError('malformedParams', { because: body.rule });
    const sent = rawBody(request);
    return parseCreateBody(body.value, sent.ok ? sent.bytes : undefined, defaultProxy);
  });

/** Parses parameters that came as a JSON object inside something else. An Idempotency-Key is for `work` as well. */
export const parseCreateOptions = (
  context: ParseContext,
  request: FastifyRequest,
  options: Record<string, unknown>,
  work?: object,
): ParsedCreate =>
  parsed(context, request, (defaultProxy) => parseCreateBody(options, undefined, defaultProxy), work);

function parsed(
  { canRecord }: ParseContext,
  { account, headers }: FastifyRequest,
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
      claim:
        key === undefined
          ? undefined
          : claimOf(account.id, key, work ? { ...sent.params, work } : sent.params),
    };
  } catch (error) {
    return { ok: false, error };
  }
}
