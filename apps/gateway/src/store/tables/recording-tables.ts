import type { Generated, Selectable } from 'kysely';

/** The recording of a session. Its objects in the storage are below its id, and are deleted before its row. */
export interface RecordingTable {
  session_id: string;
  account_id: string;
  state: Generated<'recording' | 'ready' | 'deleting'>;
  /** The time that its events count from. Until the first chunk: when the session became ACTIVE. */
  started_at: number;
  ended_at: Generated<number | null>;
  expires_at: number;
  duration_ms: Generated<number>;
  /** How many are stored, which is the number of the next one. */
  chunks: Generated<number>;
  events: Generated<number>;
  errors: Generated<number>;
  pictures: Generated<number>;
  /** The size of all its objects, as they are stored. */
  bytes: Generated<number>;
  picture_bytes: Generated<number>;
  /** 1: it grew too large, and nothing more is stored. */
  is_full: Generated<number>;
  deleting_at: Generated<number | null>;
  /** How much of the session is missing at its end. */
  missing_ms: Generated<number>;
}
export type RecordingRow = Selectable<RecordingTable>;

export interface RecordingChunkTable {
  session_id: string;
  number: number;
  from_ms: number;
  to_ms: number;
  events: number;
  errors: number;
  /** A JSON list. */
  picture_times: string;
  event_bytes: number;
  /** 0: it has no pictures, or no more. */
  picture_bytes: number;
}
export type RecordingChunkRow = Selectable<RecordingChunkTable>;
