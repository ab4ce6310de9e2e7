import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns the rule that a changing request breaks if it does not come from the gateway's own pages. Browsers send
 * `Origin` with every POST, and pages can set neither header.
 */
export function crossSiteRule(
  headers: IncomingHttpHeaders,
  host: string | undefined,
  bodyType = 'application/json',
): string | undefined {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  if (site !== undefined && site !== 'same-origin') return 'it comes from another site';
  if (origin !== undefined && hostOf(origin) !== host?.toLowerCase()) return 'it comes from another origin';
  if (site === undefined && origin === undefined) return 'it does not say where it comes from';
  const [type] = headers['content-type']?.split(';') ?? [];
  if (type?.trim().toLowerCase() !== bodyType) return `its content type is not ${bodyType}`;
  return undefined;
}

/** TLS may end in front of the gateway, so the scheme is not compared. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
