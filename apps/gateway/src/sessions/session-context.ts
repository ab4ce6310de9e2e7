import type { FindHost } from '../seams/browser-hosts.ts';
import type { Context } from '../seams/context.ts';
import type { CountBytes } from '../seams/count-bytes.ts';
import type { Outbox } from '../seams/outbox.ts';
import type { SessionProfiles } from '../seams/session-profiles.ts';

/** What the operations on sessions work with. */
export interface SessionContext extends Context {
  findHost: FindHost;
  outbox: Outbox;
  countBytes: CountBytes;
  profiles: SessionProfiles;
}
