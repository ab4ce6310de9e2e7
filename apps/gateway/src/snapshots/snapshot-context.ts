import type { FindHost } from '../seams/browser-hosts.ts';
import type { Context } from '../seams/context.ts';
import type { Sealer } from '../secrets/sealer.ts';

export interface SnapshotContext extends Context {
  sealer: Sealer;
  findHost: FindHost;
  /** How large a snapshot may be, compressed. */
  snapshotMaxBytes: number;
}
