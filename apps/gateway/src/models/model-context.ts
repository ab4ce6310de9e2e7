import type { AddressGuard } from '@turnpike/tunnel/addresses/address-guard';
import type { Context } from '../seams/context.ts';
import type { Sealer } from '../secrets/sealer.ts';

/** What model endpoints work with. */
export interface ModelContext extends Context {
  sealer: Sealer;
  /** Which addresses accounts may have called. */
  webhookGuard: AddressGuard;
}
