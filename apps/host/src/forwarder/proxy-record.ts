import type { ProxyExit, UpstreamProxy } from '@turnpike/contract/host';
import type { ProxyFailureCause, ProxyUse } from '@turnpike/contract/traffic';
import { maskedProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { ByteShare } from '@turnpike/tunnel/byte-meter';
import type { UpstreamWatcher } from '@turnpike/tunnel/upstream';

/** What the ledger calls a proxy. It has no password. */
export const proxyLabel = (proxy: UpstreamProxy): string => proxy.label ?? maskedProxyUrl(proxy);

/** What one proxy of a session has carried, and how it does. Proxies with the same label have one record. */
export class ProxyRecord implements ByteShare, UpstreamWatcher {
  readonly label: string;
  /** Which of the session's proxies it is, in the order of their first use. */
  readonly number: number;
  readonly #priceMicros: number | undefined;
  readonly #failures: Partial<Record<ProxyFailureCause, number>> = {};
  #bytesUp = 0;
  #bytesDown = 0;
  #connections = 0;
  #firstBytes = 0;
  #firstByteMs = 0;
  #exit: ProxyExit | undefined;
  #exitChanges = 0;

  constructor(proxy: UpstreamProxy, number: number) {
    this.label = proxyLabel(proxy);
    this.number = number;
    this.#priceMicros = proxy.priceMicros;
  }

  add(bytesUp: number, bytesDown: number): void {
    this.#bytesUp += bytesUp;
    this.#bytesDown += bytesDown;
  }

  connecting(): void {
    this.#connections += 1;
  }

  answered(ms: number): void {
    this.#firstBytes += 1;
    this.#firstByteMs += ms;
  }

  failed(cause: ProxyFailureCause): void {
    this.#failures[cause] = (this.#failures[cause] ?? 0) + 1;
  }

  /** Where it comes out when it begins to be used. */
  set exit(exit: ProxyExit) {
    this.#exit = exit;
  }

  /** Notes where it comes out now. Says whether that has changed. */
  cameOutAt(exit: ProxyExit): boolean {
    const hasChanged = this.#exit !== undefined && this.#exit.ip !== exit.ip;
    if (hasChanged) this.#exitChanges += 1;
    this.#exit = exit;
    return hasChanged;
  }

  report(): ProxyUse {
    return {
      proxy: this.label,
      bytesUp: this.#bytesUp,
      bytesDown: this.#bytesDown,
      connections: this.#connections,
      failures: { ...this.#failures },
      firstBytes: this.#firstBytes,
      firstByteMs: Math.round(this.#firstByteMs),
      ...(this.#priceMicros !== undefined && { priceMicros: this.#priceMicros }),
      ...(this.#exit && { exit: this.#exit }),
      ...(this.#exitChanges > 0 && { exitChanges: this.#exitChanges }),
    };
  }
}
