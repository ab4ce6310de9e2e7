import type { Tracer } from '@turnpike/process/observation/trace';
import type { CrawlContext } from './crawl/crawl-context.ts';
import type { EventContext } from './events/event-context.ts';
import type { ExtensionContext } from './extensions/extension-context.ts';
import type { HostContext } from './hosts/host-context.ts';
import type { ReadSlots } from './http/answers/read-slots.ts';
import type { ModelContext } from './models/model-context.ts';
import type { PageContext } from './page/page-context.ts';
import type { ChangeContext } from './proxies/change-context.ts';
import type { RecordingContext } from './recordings/recording-context.ts';
import type { ProfileContext } from './saved-profiles/session-profile.ts';
import type { SnapshotContext } from './snapshots/snapshot-context.ts';

/** What all features of a gateway work with, wired once in `main.ts`. Each feature names the part that it needs. */
export interface Gateway
  extends CrawlContext,
    HostContext,
    EventContext,
    ExtensionContext,
    ModelContext,
    PageContext,
    ProfileContext,
    ChangeContext,
    RecordingContext,
    SnapshotContext {
  tracer: Tracer;
  /** Slots of large answers. */
  reads: ReadSlots;
  /** Whether the gateway is stopping, so that load balancers look elsewhere. */
  isDraining: boolean;
  /** The gateway's URL for people, if it is set. */
  publicUrl?: string | undefined;
  /** Whether the operator has set an SMTP server. */
  sendsMail: boolean;
  /** The metered proxy's URL for customers, if it is known. */
  proxyUrl(): string | undefined;
}
