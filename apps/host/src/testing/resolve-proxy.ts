import type { UpstreamProxy } from '@turnpike/contract/host';
import type { ResolveProxy } from '@turnpike/contract/host/resolve-proxy';
import { parseProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';

/** For tests only: looks up proxies in place of a gateway. All are on this machine. */
export function resolverOf(saved: Record<string, UpstreamProxy> = {}): ResolveProxy {
  return async ({ proxy }) => {
    const known = saved[proxy];
    if (known) return { ok: true, proxy: { ...known, label: proxy } };
    const parsed = parseProxyUrl(proxy);
    if (!parsed.ok) return { ok: false, refusal: `The proxy is not usable: ${parsed.rule}` };
    if (!['127.0.0.1', 'localhost'].includes(parsed.proxy.host))
      return { ok: false, refusal: 'The proxy is at an address that is not allowed' };
    return { ok: true, proxy: { ...parsed.proxy, addresses: ['127.0.0.1'] } };
  };
}
