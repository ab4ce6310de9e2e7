import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { ProxyUrl } from '@turnpike/tunnel/addresses/proxy-url';
import type { Metering } from '../ledger/metering.ts';
import type { Context } from '../seams/context.ts';
import type { Outbox } from '../seams/outbox.ts';
import type { Sealer } from '../secrets/sealer.ts';

/** What saved proxies and pools work with. */
export interface ProxyContext extends Context {
  sealer: Sealer;
  /** Checks and pins the addresses of customers' proxies. */
  proxyGuard: AddressGuard;
  outbox: Outbox;
  /** What bytes through a proxy count for. */
  meteredAs(proxy: ProxyUrl): Metering;
  /** Tells where a proxy comes out. */
  probeUrl: URL | undefined;
}
