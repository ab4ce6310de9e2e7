import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { RecordingRow } from '../store/tables/recording-tables.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import { closedMs, endsOfHosts } from './last-chunk.ts';

/** Rows that one sweep takes on. The next one takes the rest. */
const sweptAtATime = 100;

type RecordingKey = Pick<RecordingRow, 'session_id' | 'account_id'>;

/** A recording that is not ready although its session has ended. */
export type UnfinishedRecording = RecordingKey &
  Pick<RecordingRow, 'started_at' | 'ended_at' | 'duration_ms' | 'chunks' | 'is_full'> &
  Pick<SessionRow, 'end_reason'> & { session_state: SessionRow['state'] };

/** Lists recordings whose last chunk has not come, and will not come any more. */
export function unfinishedRecordings(db: Database, now: number): Promise<UnfinishedRecording[]> {
  return db
    .selectFrom('recordings')
    .innerJoin('sessions', 'sessions.id', 'recordings.session_id')
    .select([
      ...(['recordings.session_id', 'recordings.account_id', 'recordings.started_at'] as const),
      ...(['recordings.ended_at', 'duration_ms', 'chunks', 'is_full'] as const),
      ...(['sessions.end_reason', 'sessions.state as session_state'] as const),
    ])
    .where('recordings.state', '=', 'recording')
    .where((e) =>
      e.or([
        e('recordings.ended_at', '<', now - closedMs.otherwise),
        e.and([
          e('recordings.ended_at', '<', now - closedMs.afterHost),
          e('sessions.end_reason', 'in', endsOfHosts),
        ]),
      ]),
    )
    .limit(sweptAtATime)
    .execute();
}

export function expiredRecordings(db: Database, now: number): Promise<RecordingKey[]> {
  return db
    .selectFrom('recordings')
    .select(['session_id', 'account_id'])
    .where('state', '=', 'ready')
    .where('expires_at', '<', now)
    .orderBy('expires_at')
    .limit(sweptAtATime)
    .execute();
}

/** Hides a recording, and counts its bytes no more. Its objects are deleted next, and then its row. False: it is gone. */
export function setDeleting(db: Database, sessionId: string, now: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('recordings')
      .set({ state: 'deleting', deleting_at: now })
      .where('session_id', '=', sessionId)
      .where('state', '!=', 'deleting')
      .returning(['account_id', 'bytes'])
      .executeTakeFirst();
    if (!row) return false;
    await trx
      .updateTable('recording_usage')
      .set((e) => ({ bytes: e('bytes', '-', row.bytes) }))
      .where('account_id', '=', row.account_id)
      .execute();
    return true;
  });
}

export function recordingsToDelete(
  db: Database,
  deletingBefore: number,
): Promise<Pick<RecordingRow, 'session_id'>[]> {
  return db
    .selectFrom('recordings')
    .select('session_id')
    .where('state', '=', 'deleting')
    .where('deleting_at', '<', deletingBefore)
    .limit(sweptAtATime)
    .execute();
}

/** Deletes the rows of a recording that has no more objects. */
export async function deleteRows(db: Database, sessionId: string): Promise<void> {
  await db.transaction().execute(async (trx: Transaction<Tables>) => {
    await trx.deleteFrom('recording_chunks').where('session_id', '=', sessionId).execute();
    await trx
      .deleteFrom('recordings')
      .where('session_id', '=', sessionId)
      .where('state', '=', 'deleting')
      .execute();
  });
}
