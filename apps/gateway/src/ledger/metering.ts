import type { Product } from '@turnpike/contract/bandwidth';
import type { ProductMap } from '@turnpike/tunnel/addresses/product-map';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';

/** What the bytes of a session count for. Null: they count elsewhere, or nowhere. */
export interface Metering {
  metered_product: Product | null;
  metered_country: string | null;
}

/**
 * Returns the product that a session's own bytes count for: its proxy is an upstream that the operator's map marks
 * `meter: session`. All other proxies are metered elsewhere, so nothing counts twice.
 */
export function meteredAs(products: ProductMap, { host, port }: ProxyUrl): Metering {
  for (const [product, route] of Object.entries(products) as [Product, ProductMap[Product]][]) {
    if (route === undefined || route === 'direct') continue;
    const upstream = route.find(
      ({ meter, proxy }) => meter === 'session' && proxy.host === host && proxy.port === port,
    );
    if (upstream) return { metered_product: product, metered_country: upstream.country ?? null };
  }
  return { metered_product: null, metered_country: null };
}

/**
 * All proxies of a session count for the same: its bytes are counted as a whole. So no rule, context or change leads
 * around an operator's count, or into it.
 */
export const isMeteredAlike = (one: Metering, other: Metering): boolean =>
  one.metered_product === other.metered_product && one.metered_country === other.metered_country;

/** What to tell whoever asks for a proxy that counts for something else. */
export const otherMetering =
  'its traffic counts for another product than that of the session. Create a session with it';
