import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The content type that a page posts; JSON by default. Another site's form can send neither. */
    bodyType?: 'application/octet-stream';
  }
}

/** Refuses a changing request that does not come from the gateway's own pages. Every route that reads a cookie calls it. */
export async function requireOwnPage(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('x-content-type-options', 'nosniff');
  if (request.method === 'GET' || request.method === 'HEAD') return;
  // A form sends no other method, and a script of another site would have to ask first.
  const { bodyType = 'application/json' } = request.routeOptions.config;
  const rule = crossSiteRule(request.headers, request.host, request.method === 'POST' ? bodyType : undefined);
  if (rule) throw new ApiError('crossSite', { because: rule });
}

/**
 * Returns the rule that a changing request breaks if it does not come from the gateway's own pages. Browsers send
 * `Origin` with every such request, and pages can set neither header.
 */
export function crossSiteRule(
  headers: IncomingHttpHeaders,
  host: string | undefined,
  bodyType: string | undefined,
): string | undefined {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site !== undefined && site !== 'same-origin') return 'it comes from another site';
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) return 'it comes from another origin';
  if (site === undefined && origin === undefined) return 'it does not say where it comes from';
  const [type] = headers['content-type']?.split(';') ?? [];
  if (bodyType !== undefined && type?.trim().toLowerCase() !== bodyType)
    return `its content type is not ${bodyType}`;
  return undefined;
}

/** TLS may end in front of the gateway, so the scheme is not compared. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
