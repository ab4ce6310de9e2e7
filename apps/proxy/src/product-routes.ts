import { type Product, unknownCountry } from '@turnpike/contract/bandwidth';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { ProductMap, ProductUpstream } from '@turnpike/tunnel/addresses/product-map';
import { DirectRoute } from './direct-route.ts';
import { PooledRoute } from './pooled-route.ts';
import { Refusal } from './refusal.ts';
import type { RouteOut } from './route.ts';

/** Chooses the route of a request. */
export class ProductRoutes {
  readonly #products: ProductMap;
  readonly #guard: AddressGuard;
  readonly #direct: DirectRoute;
  readonly #pools = new Map<ProductUpstream, PooledRoute>();

  constructor(products: ProductMap, guard: AddressGuard) {
    this.#products = products;
    this.#guard = guard;
    this.#direct = new DirectRoute(guard);
  }

  choose(product: Product, country: string | undefined): RouteOut {
    const route = this.#products[product];
    if (route === undefined) throw new Refusal(502, `no upstream proxy is configured for ${product}`);
    if (route === 'direct') {
      const direct = this.#direct;
      return {
        country: country ?? unknownCountry,
        tunnel: (target) => direct.tunnel(target),
        plain: (url) => direct.plain(url),
      };
    }
    const pool = route.filter(
      (upstream) => upstream.meter === 'proxy' && (!country || upstream.country === country),
    );
    const chosen = pool[Math.floor(Math.random() * pool.length)];
    if (!chosen)
      throw new Refusal(
        502,
        `no upstream proxy is configured for ${product}${country ? ` in ${country}` : ''}`,
      );
    let pooled = this.#pools.get(chosen);
    if (!pooled) {
      pooled = new PooledRoute(chosen, this.#guard);
      this.#pools.set(chosen, pooled);
    }
    return pooled;
  }

  close(): void {
    for (const pooled of this.#pools.values()) pooled.close();
  }
}
