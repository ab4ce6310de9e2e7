import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { Context } from '../seams/context.ts';
import type { Sealer } from '../secrets/sealer.ts';

/** What events and webhooks work with. */
export interface EventContext extends Context {
  sealer: Sealer;
  /** Checks and pins the addresses that webhooks are sent to. */
  webhookGuard: AddressGuard;
}
