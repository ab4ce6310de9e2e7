import type { BrowserParams } from '@turnpike/contract/create-parameters';
import type { ByteCounters, UpstreamProxy } from '@turnpike/contract/host';
import type { TrafficReport, TypeEstimate } from '@turnpike/contract/traffic';
import { Upstream } from '@turnpike/tunnel/upstream';
import { compileHostRules, type Refuses } from './host-rules.ts';
import { TrafficLedger } from './traffic-ledger.ts';

/** What one session carries: its proxy, what it may not reach, and its ledger. */
export class SessionTraffic {
  readonly upstream: Upstream;
  readonly ledger = new TrafficLedger();
  /** Undefined if it may reach everything. */
  readonly refuses: Refuses | undefined;
  /** How many bytes the browser's cache has saved. */
  bytesFromCache: () => number = () => 0;
  /** Bytes by type of resource, where the browser tells them. */
  estimate: () => TypeEstimate | undefined = () => undefined;

  constructor(
    proxy: UpstreamProxy,
    { allowHosts, blockHosts, maxBytes }: Pick<BrowserParams, 'allowHosts' | 'blockHosts' | 'maxBytes'>,
    timeoutMs: number,
  ) {
    this.upstream = new Upstream(proxy, timeoutMs, {
      shareOf: (target) => this.ledger.share(target),
      maxBytes,
    });
    this.refuses = compileHostRules({ allowHosts, blockHosts });
  }

  get counters(): ByteCounters {
    return this.upstream.counters;
  }

  report(maxDestinations: number): TrafficReport {
    // Reading the counters adds the bytes of open connections to the ledger.
    const { upstream } = this;
    const counters = upstream.counters;
    const whole = { ...counters, bytesFromCache: this.bytesFromCache(), maxBytesReached: upstream.isSpent };
    const estimate = this.estimate();
    return { ...whole, ...this.ledger.report(maxDestinations), ...(estimate && { estimate }) };
  }
}
