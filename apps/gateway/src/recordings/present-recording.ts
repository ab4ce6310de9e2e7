import type { RecordingChunkSummary, RecordingSummary } from '@turnpike/contract/recording-answers';
import { iso, isoOrNull } from '../http/iso.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { RecordingChunkRow, RecordingRow } from '../store/tables/recording-tables.ts';

export function presentRecording(row: RecordingRow): RecordingSummary {
  return {
    sessionId: row.session_id,
    startedAt: iso(row.started_at),
    endedAt: isoOrNull(row.ended_at),
    state: row.state === 'recording' ? 'recording' : 'ready',
    durationMs: row.duration_ms,
    events: row.events,
    errors: row.errors,
    pictures: row.pictures,
    bytes: row.bytes,
    isFull: row.is_full === 1,
    missingMs: row.missing_ms,
    expiresAt: iso(row.expires_at),
  };
}

export function presentChunk(row: RecordingChunkRow): RecordingChunkSummary {
  return {
    index: row.number,
    fromMs: row.from_ms,
    toMs: row.to_ms,
    events: row.events,
    errors: row.errors,
    pictureTimes: readStoredJson(row.picture_times),
  };
}
