import { lookup } from 'node:dns/promises';
import net from 'node:net';
import { unknownCountry } from '@turnpike/contract/bandwidth';
import { within } from '@turnpike/process/within';
import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { ProductUpstream } from '@turnpike/tunnel/addresses/product-map';
import { urlHost } from '@turnpike/tunnel/addresses/url-host';
import type { PlainRoute } from '@turnpike/tunnel/plain-exchange';
import { routeThrough } from '@turnpike/tunnel/plain-route';
import type { Connection } from '@turnpike/tunnel/sockets/connection';
import type { Target } from '@turnpike/tunnel/target';
import { Upstream } from '@turnpike/tunnel/upstream';
import { dialTimeoutMs, notAllowed, type RouteOut } from './route.ts';

const lookupIntervalMs = 30_000;
let created = 0;

/** Routes through one proxy of a pool. The operator chose it, so its addresses are not checked, only looked up again. */
export class PooledRoute implements RouteOut {
  readonly country: string;
  readonly #guard: AddressGuard;
  readonly #upstream: Upstream;
  readonly #number = ++created;
  #lookedUpAt = Number.NEGATIVE_INFINITY;

  constructor({ proxy, country }: ProductUpstream, guard: AddressGuard) {
    this.country = country ?? unknownCountry;
    this.#guard = guard;
    this.#upstream = new Upstream({ ...proxy, addresses: [] }, dialTimeoutMs);
  }

  async tunnel(target: Target): Promise<Connection> {
    await Promise.all([this.#lookUp(), this.#checkTarget(target.host)]);
    return this.#upstream.tunnel(target);
  }

  async plain(url: URL, written: string): Promise<PlainRoute> {
    await Promise.all([this.#lookUp(), this.#checkTarget(urlHost(url))]);
    const route = routeThrough(this.#upstream, url, written);
    // Not shared between clients: a new connection to a rotating proxy is how a client gets another exit.
    return { ...route, key: `pool ${this.#number} ${route.key}`, sharedKey: undefined };
  }

  close(): void {
    this.#upstream.close();
  }

  /** A pool may be in the operator's network: clients must not reach addresses there through it. */
  async #checkTarget(host: string): Promise<void> {
    using bounds = within(dialTimeoutMs);
    const checked = await this.#guard.resolve(host, bounds.signal);
    // A name that only the proxy can resolve is passed to the proxy.
    if (!checked.ok && checked.reason === 'not-allowed') throw notAllowed(host);
  }

  async #lookUp(): Promise<void> {
    if (performance.now() - this.#lookedUpAt < lookupIntervalMs) return;
    const { host } = this.#upstream.proxy;
    const found = net.isIP(host)
      ? [host]
      : (await lookup(host, { all: true }).catch(() => [])).map(({ address }) => address);
    if (found.length > 0) this.#upstream.moveTo(found);
    this.#lookedUpAt = performance.now();
  }
}
