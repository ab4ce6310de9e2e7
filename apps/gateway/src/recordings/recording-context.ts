import type { Context } from '../seams/context.ts';
import type { Outbox } from '../seams/outbox.ts';
import type { Sealer } from '../secrets/sealer.ts';
import type { RecordingStorage } from './storage/recording-storage.ts';

export interface RecordingLimits {
  /** How large a recording may grow, as it is stored. */
  sessionMaxBytes: number;
  /** How large all recordings of an account may grow together. */
  accountMaxBytes: number;
  /** How long a recording is kept after its session has ended. */
  keepMs: number;
}

/** What the operations on recordings work with. */
export interface RecordingContext extends Context {
  sealer: Sealer;
  outbox: Outbox;
  recordingLimits: RecordingLimits;
  /** Undefined if the operator has set up none, so nothing is recorded. */
  recordingStorage: RecordingStorage | undefined;
}

/** A context with storage. */
export type RecordingParts = RecordingContext & { recordingStorage: RecordingStorage };
