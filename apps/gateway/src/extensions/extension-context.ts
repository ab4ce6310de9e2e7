import type { Context } from '../seams/context.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { AllowList } from './allowed-extensions.ts';

/** What extensions work with. */
export interface ExtensionContext extends Context {
  sealer: Sealer;
  allowedExtensions: AllowList;
}
