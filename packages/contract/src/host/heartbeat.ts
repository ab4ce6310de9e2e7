import { type Static, Type } from 'typebox';
import { regionPattern } from '../ids.ts';
import { EndedBrowser, RunningReport } from './browser-report.ts';

/** What a host tells the gateways about itself, again and again, and what they answer. */

export const heartbeatMs = 2000;
/** A host that is not heard of for this long is lost. */
export const leaseMs = 10_000;

const Count = Type.Integer({ minimum: 0 });
const Name = Type.String({ minLength: 1, maxLength: 255 });
const Url = Type.String({ minLength: 1, maxLength: 2048 });

export const Heartbeat = Type.Object({
  name: Name,
  /** Tells one run of a host from the next. */
  boot: Type.String({ pattern: '^[0-9a-f]{16}$' }),
  /** Grows with every beat of a run: one that was overtaken on its way counts for nothing. */
  seq: Count,
  /**
   * By the store's clock, no later than it was: what the last answer said, and the time since by the host's monotonic
   * clock. 0 until there was one.
   */
  sentAt: Count,
  /** Until the first one is accepted. */
  joining: Type.Boolean(),
  /** `leaving`: runs what it has and takes no more. `left`: the last beat of this run. */
  phase: Type.Enum(['up', 'leaving', 'left'] as const),
  publicUrl: Url,
  /** Null: only its own process can call it. */
  privateUrl: Type.Union([Url, Type.Null()]),
  region: Type.Union([Type.String({ pattern: regionPattern.source }), Type.Null()]),
  /** None while it is out of touch: first it hears what has become of its sessions. */
  seats: Count,
  used: Count,
  chromiumVersion: Type.String({ maxLength: 64 }),
  serviceVersion: Type.String({ maxLength: 64 }),
  /** The create parameters that it acts on. A host of an earlier version does not say. */
  abilities: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: 1000 })),
  running: Type.Array(RunningReport),
  /** All that no gateway has acknowledged yet. */
  endings: Type.Array(EndedBrowser),
});
export type Heartbeat = Static<typeof Heartbeat>;
export type HostPhase = Heartbeat['phase'];

export type HeartbeatAnswer =
  | {
      outcome: 'accepted';
      /** Endings that the store has, or that concern nobody. */
      acknowledged: string[];
      /** Browsers that no session needs. */
      end: string[];
      draining: boolean;
      /** The store's time as of this answer. Undefined if the gateway is of an earlier version. */
      at?: number;
    }
  /** A later beat of this run was faster. */
  | { outcome: 'stale' }
  /** Another run has this name now; nothing of this one is wanted. */
  | { outcome: 'superseded' }
  /** Another host has this name and lives. */
  | { outcome: 'name-taken' }
  /** The operator took this host out. */
  | { outcome: 'removed' };
