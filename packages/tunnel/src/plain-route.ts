import { urlHost } from './addresses/url-host.ts';
import { credentialHeaders } from './http-connect.ts';
import type { PlainRoute } from './plain-exchange.ts';
import { formatTarget, type Target } from './target.ts';
import { isSocks, type Upstream } from './upstream.ts';

/** Routes through a proxy: in absolute form to an HTTP proxy, in origin form through a SOCKS connection. */
export function routeThrough(upstream: Upstream, url: URL, written: string): PlainRoute {
  const { proxy } = upstream;
  const target = targetOf(url);
  if (!isSocks(proxy)) {
    return {
      key: 'proxy',
      sharedKey: formatTarget(target),
      target: written,
      host: url.host,
      headers: credentialHeaders(proxy),
      isProxy: true,
      open: () => upstream.connect(target),
      reuse: (connection) => upstream.reuse(connection, target),
      answered: upstream.answered,
    };
  }
  return {
    key: formatTarget(target),
    target: url.pathname + url.search,
    host: url.host,
    headers: [],
    isProxy: false,
    open: () => upstream.tunnel(target),
  };
}

/** The destination of a plain request. */
export const targetOf = (url: URL): Target => ({ host: urlHost(url), port: Number(url.port) || 80 });

/** For credentials, a name and a port. The cost of a name in Punycode grows with the square of its length. */
const maxAuthorityLength = 1000;

/** Parses the URL of a request to a proxy; undefined if it is not `http://…`. */
export function plainUrl(target: string): URL | undefined {
  // A URL parser skips any number of slashes before the host.
  const [start] = /^http:[/\\]*/i.exec(target) ?? [''];
  const isShort = target.length - start.length <= maxAuthorityLength;
  const beginning = target.slice(start.length, start.length + maxAuthorityLength);
  if (start === '' || !(isShort || /[/\\?#]/.test(beginning))) return undefined;
  const url = URL.parse(target);
  return url?.protocol === 'http:' ? url : undefined;
}
