import { errors } from '@turnpike/contract/errors';
import type { FastifyRequest } from 'fastify';
import { type ParsedCreate, parseCreateOptions } from '../creates/parameters/parse-create.ts';
import { ApiError } from '../http/api-error.ts';
import type { PageContext } from '../page/page-context.ts';

/**
 * Parses a create of Browserless's. What `read` throws is told after the limits are checked, as for any create. Who
 * names no proxy and has no default is told how, for Browserless needs none.
 */
export function parseLaunch(
  context: PageContext,
  request: FastifyRequest,
  read: () => Record<string, unknown>,
): ParsedCreate {
  try {
    const parsed = parseCreateOptions(context, request, read());
    return parsed.ok || !isProxyMissing(parsed.error) ? parsed : { ...parsed, error: proxyMissing() };
  } catch (error) {
    return { ok: false, error, warnings: [] };
  }
}

const isProxyMissing = (error: unknown): boolean =>
  error instanceof ApiError && error.spec === errors.proxyRequired;
const proxyMissing = () => new ApiError('proxyRequired', { detail: nameProxy, field: 'proxy' });

const nameProxy =
  'Give your account a default proxy with PUT /user/api/default-proxy. Or add --proxy-server= or proxy= to the query, ' +
  'with the URL of a proxy, for example ?token=KEY&--proxy-server=http://user:password@proxy.example:8000';
