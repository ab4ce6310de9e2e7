/** Builds the content security policy: pages load their own files, and show live views of hosts in frames. */
export function contentSecurityPolicy(hostUrls: readonly string[]): string {
  const frames = [...new Set(hostUrls.map(viewerOrigin))].sort();
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Live views are on the public side of their host. */
const viewerOrigin = (hostUrl: string): string => new URL(hostUrl.replace(/^ws/, 'http')).origin;
