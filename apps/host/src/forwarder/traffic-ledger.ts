import {
  addRefusals,
  maxDestinations,
  type OtherUse,
  type RefusalReason,
  type Refusals,
  type ReportedDestination,
  withLargest,
} from '@turnpike/contract/traffic';
import { normalHost } from '@turnpike/tunnel/addresses/host-pattern';
import type { ByteShare } from '@turnpike/tunnel/byte-meter';
import type { Target } from '@turnpike/tunnel/target';
import type { ProxyRecord } from './proxy-record.ts';

/** When there are this many, all but the largest are added up. New ones then have room to grow. */
const maxKept = maxDestinations + 250;
const maxOddNameLength = 100;

/** What one destination has used, or several together. */
class Use implements ByteShare {
  readonly host: string;
  readonly port: number;
  readonly firstAt = performance.now();
  lastAt = this.firstAt;
  requests = 0;
  tunnels = 0;
  bytesUp = 0;
  bytesDown = 0;
  readonly refused: Refusals = {};
  /** What carries its bytes. Undefined if several do, or nobody asks. */
  readonly proxy: ProxyRecord | undefined;
  /** Takes the bytes of connections that are still open, once this is no longer kept by name. */
  #mergedInto: Use | undefined;

  constructor({ host, port }: Target, proxy?: ProxyRecord) {
    this.host = host;
    this.port = port;
    this.proxy = proxy;
  }

  get bytes(): number {
    return this.bytesUp + this.bytesDown;
  }

  add(bytesUp: number, bytesDown: number): void {
    const use = this.#mergedInto ?? this;
    use.bytesUp += bytesUp;
    use.bytesDown += bytesDown;
    use.lastAt = performance.now();
    this.proxy?.add(bytesUp, bytesDown);
  }

  moveTo(into: Use): void {
    into.requests += this.requests;
    into.tunnels += this.tunnels;
    into.add(this.bytesUp, this.bytesDown);
    addRefusals(into.refused, this.refused);
    this.#mergedInto = into;
  }

  report(now: number, withProxy = false): ReportedDestination {
    const { host, port, requests, tunnels, bytesUp, bytesDown, refused, firstAt, lastAt } = this;
    const ago = { firstAgoMs: Math.round(now - firstAt), lastAgoMs: Math.round(now - lastAt) };
    const proxy = withProxy && this.proxy ? { proxy: this.proxy.label } : {};
    return { host, port, ...proxy, requests, tunnels, bytesUp, bytesDown, refused: { ...refused }, ...ago };
  }
}

/**
 * What a session has used, by destination and by the proxy that carried it. A byte belongs to one destination, and what is no longer kept by name is in
 * `other`, so that nothing is ever lost from the sum.
 */
export class TrafficLedger {
  readonly #uses = new Map<string, Use>();
  readonly #other = new Use({ host: '', port: 0 });
  #count = 0;
  /** The destination that was last looked up, as it was written. Most requests go where the last one went. */
  #last: { target: Target; use: Use } | undefined;

  /** Requests, tunnels and refusals so far. */
  get count(): number {
    return this.#count;
  }

  /** Where the bytes of a connection to this destination are added. */
  share(target: Target, proxy?: ProxyRecord): ByteShare {
    return this.#use(target, proxy);
  }

  request(target: Target, proxy?: ProxyRecord): void {
    this.#touch(target, proxy).requests += 1;
  }

  tunnel(target: Target, proxy?: ProxyRecord): void {
    this.#touch(target, proxy).tunnels += 1;
  }

  refuse(target: Target, reason: RefusalReason, proxy?: ProxyRecord): void {
    const { refused } = this.#touch(target, proxy);
    refused[reason] = (refused[reason] ?? 0) + 1;
  }

  /** The largest destinations by name, the largest first, and all others together. */
  report(
    count: number,
    { withProxies = false } = {},
  ): { destinations: ReportedDestination[]; other: OtherUse } {
    const now = performance.now();
    const { requests, tunnels, bytesUp, bytesDown, refused } = this.#other.report(now);
    const destinations = this.#largestFirst().map((use) => use.report(now, withProxies));
    return withLargest({ destinations, other: { requests, tunnels, bytesUp, bytesDown, refused } }, count);
  }

  #touch(target: Target, proxy: ProxyRecord | undefined): Use {
    this.#count += 1;
    const use = this.#use(target, proxy);
    use.lastAt = performance.now();
    return use;
  }

  #use(target: Target, proxy: ProxyRecord | undefined): Use {
    const { port } = target;
    const last = this.#last;
    if (last?.target.host === target.host && last.target.port === port && last.use.proxy === proxy)
      return last.use;
    const host = nameOf(target);
    const key = keyOf(host, port, proxy);
    let use = this.#uses.get(key);
    if (!use) {
      if (this.#uses.size >= maxKept) this.#addUpSmallest();
      use = new Use({ host, port }, proxy);
      this.#uses.set(key, use);
    }
    this.#last = { target, use };
    return use;
  }

  #addUpSmallest(): void {
    this.#last = undefined;
    for (const use of this.#largestFirst().slice(maxDestinations)) {
      use.moveTo(this.#other);
      this.#uses.delete(keyOf(use.host, use.port, use.proxy));
    }
  }

  #largestFirst(): Use[] {
    return [...this.#uses.values()].sort((a, b) => b.bytes - a.bytes || b.lastAt - a.lastAt);
  }
}

const keyOf = (host: string, port: number, proxy: ProxyRecord | undefined): string =>
  `${host} ${port} ${proxy?.number}`;

/** One name for a host however it is written. What is no host is shown as far as it can be printed. */
function nameOf({ host }: Target): string {
  return normalHost(host) ?? host.slice(0, maxOddNameLength).replace(/[^!-~]/g, '?');
}
