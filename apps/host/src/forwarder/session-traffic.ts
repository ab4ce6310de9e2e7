import type { BrowserParams } from '@turnpike/contract/create-parameters';
import { type ByteCounters, HostError, type ProxyRule, type UpstreamProxy } from '@turnpike/contract/host';
import { maxSessionProxies } from '@turnpike/contract/proxies';
import type { RuleRefusal, TrafficReport, TypeEstimate } from '@turnpike/contract/traffic';
import { ByteMeter } from '@turnpike/tunnel/byte-meter';
import { formatTarget, type Target } from '@turnpike/tunnel/target';
import { Upstream } from '@turnpike/tunnel/upstream';
import { UpstreamProxyError } from '@turnpike/tunnel/upstream-proxy-error';
import { compileHostRules, type Refuses } from './host-rules.ts';
import { ProxyRecord, proxyLabel } from './proxy-record.ts';
import { compileProxyRules, type RuledRoute } from './proxy-rules.ts';
import { type Route, type Routes, sessionAddress } from './routes.ts';
import { TrafficLedger } from './traffic-ledger.ts';

type TrafficParams = Pick<BrowserParams, 'allowHosts' | 'blockHosts' | 'maxBytes'>;

export interface TrafficOptions {
  /** Time limit to establish a connection through a proxy. */
  proxyTimeoutMs: number;
  /** Whether a proxy's address is this machine itself, and so no customer's. */
  isOwnAddress?(name: string, address: string): boolean;
}

/**
 * What one session carries: its proxies, what it may not reach, and its ledger. Most sessions have one proxy; others have
 * more for some destinations, and change theirs.
 */
export class SessionTraffic implements Routes {
  readonly ledger = new TrafficLedger();
  /** Undefined if it may reach everything. */
  readonly refuses: Refuses | undefined;
  /** Called with each proxy that is added when the session runs. */
  onProxy: (proxy: UpstreamProxy) => void = () => {};
  /** How many bytes the browser's cache has saved. */
  bytesFromCache: () => number = () => 0;
  /** Bytes by type of resource, where the browser tells them. */
  estimate: () => TypeEstimate | undefined = () => undefined;
  readonly #options: TrafficOptions;
  /** All proxies together have one limit. */
  readonly #meter: ByteMeter;
  /** By label, in the order of their first use. */
  readonly #records = new Map<string, ProxyRecord>();
  /** Those that are not closed. */
  readonly #routes = new Set<Route>();
  readonly #ruled: RuledRoute | undefined;
  /** Of contexts with proxies of their own, by the address that the browser was given for each. */
  readonly #contexts = new Map<string, Route>();
  #own: Route;
  #created = 0;
  #isClosed = false;
  #isStopped = false;

  constructor(
    proxy: UpstreamProxy,
    { allowHosts, blockHosts, maxBytes }: TrafficParams,
    options: TrafficOptions,
    rules: readonly ProxyRule[] = [],
  ) {
    this.#options = options;
    this.#meter = new ByteMeter(maxBytes);
    this.refuses = compileHostRules({ allowHosts, blockHosts });
    this.#own = this.routeTo(proxy);
    if (rules.length > 0) this.#ruled = compileProxyRules(rules, (one) => this.routeTo(one));
  }

  /** The session's own proxy, as it is now. */
  get own(): Route {
    return this.#own;
  }

  /** All ways out that there are now: the session's own first. */
  get routes(): Iterable<Route> {
    return this.#routes;
  }

  get counters(): ByteCounters {
    return this.#meter.counters;
  }

  get refusal(): RuleRefusal | undefined {
    if (this.#isStopped) return 'proxy_pin_exit';
    return this.#meter.isExceeded ? 'max_bytes' : undefined;
  }

  find(address: string, target: Target): Route | undefined {
    if (address !== sessionAddress) return this.#contexts.get(address);
    return this.#ruled?.(target) ?? this.#own;
  }

  /**
   * Makes a way out that nothing uses yet. Throws a `HostError` for a proxy that is this machine, and an
   * `UpstreamProxyError` if the session has used too many proxies.
   */
  routeTo(proxy: UpstreamProxy, { takesCredentials = false } = {}): Route {
    const { isOwnAddress, proxyTimeoutMs } = this.#options;
    if (proxy.addresses.some((address) => isOwnAddress?.(proxy.host, address))) throw ownMachine(proxy);
    const record = this.#recordOf(proxy);
    this.onProxy(proxy);
    const upstream = new Upstream(proxy, proxyTimeoutMs, {
      shareOf: (target) => this.ledger.share(target, record),
      meter: this.#meter,
      onSpent: () => this.close(),
      watcher: record,
    });
    const route: Route = { upstream, record, owner: String(this.#created++), takesCredentials };
    this.#routes.add(route);
    if (this.#isClosed) upstream.close();
    return route;
  }

  /** Cuts all that goes one way. */
  closeRoute(route: Route): void {
    this.#routes.delete(route);
    route.upstream.close();
  }

  /** Uses a way out for all that comes to an address. */
  openAddress(address: string, route: Route): void {
    this.#contexts.set(address, route);
  }

  /** Cuts what came to an address. What comes later goes nowhere. */
  closeAddress(address: string): void {
    const route = this.#contexts.get(address);
    this.#contexts.delete(address);
    if (route) this.closeRoute(route);
  }

  /** Uses another proxy for what no rule and no context has one for, and cuts what goes through the one before. */
  changeOwn(route: Route): void {
    const before = this.#own;
    this.#own = route;
    this.#isStopped = false;
    this.closeRoute(before);
  }

  /** Cuts everything, and carries nothing until the session has another proxy. */
  stop(): void {
    this.#isStopped = true;
    for (const { upstream } of this.#routes) upstream.cut();
  }

  close(): void {
    this.#isClosed = true;
    for (const { upstream } of this.#routes) upstream.close();
  }

  report(maxDestinations: number): TrafficReport {
    // Reading the counters adds the bytes of open connections to the ledger.
    const counters = this.#meter.counters;
    const whole = {
      ...counters,
      bytesFromCache: this.bytesFromCache(),
      maxBytesReached: this.#meter.isExceeded,
    };
    const estimate = this.estimate();
    const proxies = Array.from(this.#records.values(), (record) => record.report());
    const withProxies = proxies.length > 1;
    return {
      ...whole,
      ...this.ledger.report(maxDestinations, { withProxies }),
      ...(estimate && { estimate }),
      proxies,
    };
  }

  #recordOf(proxy: UpstreamProxy): ProxyRecord {
    const known = this.#records.get(proxyLabel(proxy));
    if (known) return known;
    if (this.#records.size >= maxSessionProxies)
      throw new UpstreamProxyError(
        `was not asked: the session has used ${maxSessionProxies} proxies, as many as it may`,
      );
    const record = new ProxyRecord(proxy, this.#records.size);
    this.#records.set(record.label, record);
    return record;
  }
}

const ownMachine = ({ host, port, label }: UpstreamProxy): HostError =>
  new HostError(
    'PROXY_UNREACHABLE',
    `The proxy ${label ?? formatTarget({ host, port })} was not asked: it is at the address of the session's own host`,
  );
