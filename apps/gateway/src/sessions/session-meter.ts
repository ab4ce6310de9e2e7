import type { Product } from '@turnpike/contract/bandwidth';
import type { ProductMap } from '@turnpike/tunnel/addresses/product-map';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';

/**
 * Returns the product that a session's own bytes count for: its proxy is an upstream that the operator's map marks
 * `meter: session`. All other proxies are metered elsewhere, so nothing counts twice.
 */
export function meteredAs(
  products: ProductMap,
  { host, port }: ProxyUrl,
): { metered_product?: Product; metered_country?: string | null } {
  for (const [product, route] of Object.entries(products) as [Product, ProductMap[Product]][]) {
    if (route === undefined || route === 'direct') continue;
    const upstream = route.find(
      ({ meter, proxy }) => meter === 'session' && proxy.host === host && proxy.port === port,
    );
    if (upstream) return { metered_product: product, metered_country: upstream.country ?? null };
  }
  return {};
}
