import { lookup } from 'node:dns/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { unknownCountry } from '@turnpike/contract/bandwidth';
import type { AddressGuard } from '@turnpike/process/address-guard';
import type { ProductUpstream } from '@turnpike/process/product-map';
import { urlHost } from '@turnpike/process/url-host';
import { PlainRequests } from '@turnpike/tunnel/plain-request';
import type { Target } from '@turnpike/tunnel/target';
import { Upstream } from '@turnpike/tunnel/upstream';
import { asRefusal, dialTimeoutMs, httpUrl, notAllowed, type RouteOut } from './route.ts';

const answerTimeoutMs = 300_000;
const addressesKeptMs = 30_000;

/** Through one proxy of a pool. Its addresses are the operator's own affair, and looked up now and then. */
export class PooledRoute implements RouteOut {
  readonly country: string;
  readonly #guard: AddressGuard;
  readonly #addresses: string[] = [];
  readonly #host: string;
  readonly #upstream: Upstream;
  readonly #plain: PlainRequests;
  #lookedUpAt = Number.NEGATIVE_INFINITY;

  constructor({ proxy, country }: ProductUpstream, guard: AddressGuard) {
    this.country = country ?? unknownCountry;
    this.#guard = guard;
    this.#host = proxy.host;
    this.#upstream = new Upstream({ ...proxy, addresses: this.#addresses }, dialTimeoutMs);
    this.#plain = new PlainRequests(this.#upstream, answerTimeoutMs);
  }

  async tunnel(target: Target): Promise<Socket> {
    await Promise.all([this.#lookUp(), this.#checkTarget(target.host)]);
    try {
      return await this.#upstream.tunnel(target);
    } catch (error) {
      throw asRefusal(error);
    }
  }

  async carry(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await Promise.all([this.#lookUp(), this.#checkTarget(urlHost(httpUrl(request)))]);
    try {
      await this.#plain.carry(request, response);
    } catch (error) {
      throw asRefusal(error);
    }
  }

  close(): void {
    this.#plain.close();
    this.#upstream.close();
  }

  /** A pool may stand in the operator's own network: its proxies must not be sent to addresses there. */
  async #checkTarget(host: string): Promise<void> {
    const checked = await this.#guard.resolve(host, AbortSignal.timeout(dialTimeoutMs));
    // A name that only the proxy can resolve is the proxy's to judge.
    if (!checked.ok && checked.reason === 'not-allowed') throw notAllowed();
  }

  async #lookUp(): Promise<void> {
    if (performance.now() - this.#lookedUpAt < addressesKeptMs) return;
    const found = net.isIP(this.#host)
      ? [this.#host]
      : (await lookup(this.#host, { all: true }).catch(() => [])).map(({ address }) => address);
    if (found.length > 0) this.#addresses.splice(0, this.#addresses.length, ...found);
    this.#lookedUpAt = performance.now();
  }
}
