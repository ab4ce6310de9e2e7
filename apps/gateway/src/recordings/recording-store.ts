import { sessionIdPattern } from '@turnpike/contract/ids';
import type { ChunkSummary } from '@turnpike/contract/recording';
import type { EndReason } from '@turnpike/contract/session';
import { sql, type Transaction } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { Database } from '../store/database.ts';
import type { RecordingChunkRow, RecordingRow } from '../store/tables/recording-tables.ts';
import type { SessionState, Tables } from '../store/tables.ts';
import { behind, type PageRequest } from '../store/time-page.ts';

/**
 * Every change of a recording's row is one conditional statement or transaction. Those that lock several rows take them
 * in this order: the account, the recording, the account's usage.
 */

/** A recording of a session that became ACTIVE. */
type NewRecording = Pick<RecordingRow, 'session_id' | 'account_id' | 'started_at' | 'expires_at'>;

export async function insertRecording(trx: Transaction<Tables>, recording: NewRecording): Promise<void> {
  await trx.insertInto('recordings').values(recording).execute();
  await trx
    .insertInto('recording_usage')
    .values({ account_id: recording.account_id, bytes: 0 })
    .onConflict((conflict) => conflict.column('account_id').doNothing())
    .execute();
}

/** Stores when a recorded session ended. */
export async function setEnd(
  trx: Transaction<Tables>,
  sessionId: string,
  times: { endedAt: number; expiresAt: number },
): Promise<void> {
  await trx
    .updateTable('recordings')
    .set({ ended_at: times.endedAt, expires_at: times.expiresAt })
    .where('session_id', '=', sessionId)
    .execute();
}

export interface StoredChunk {
  sessionId: string;
  accountId: string;
  index: number;
  /** When its recording began, as far as this chunk tells. */
  startedAt: number;
  summary: ChunkSummary;
  eventBytes: number;
  pictureBytes: number;
  isLast: boolean;
  /** How much of the session is missing at its end. */
  missingMs: number;
}

class DoesNotFit extends Error {}

/**
 * Stores the row of the next chunk, whose objects are stored already. Returns undefined if it is not the next one, the
 * recording takes no more, or it does not fit. `then` runs in the same transaction.
 */
export async function insertChunk(
  db: Database,
  chunk: StoredChunk,
  limits: { sessionMaxBytes: number; accountMaxBytes: number },
  then: (trx: Transaction<Tables>, row: RecordingRow) => Promise<void>,
): Promise<RecordingRow | undefined> {
  const bytes = chunk.eventBytes + chunk.pictureBytes;
  try {
    return await db.transaction().execute(async (trx) => {
      // The last chunk writes an event, which locks the account.
      if (chunk.isLast) await lockAccount(trx, chunk.accountId);
      const row = await grow(trx, chunk, limits.sessionMaxBytes - bytes);
      if (!row) return undefined;
      const counted = await trx
        .updateTable('recording_usage')
        .set((e) => ({ bytes: e('bytes', '+', bytes) }))
        .where('account_id', '=', chunk.accountId)
        .where('bytes', '<=', limits.accountMaxBytes - bytes)
        .executeTakeFirst();
      if (counted.numUpdatedRows === 0n) throw new DoesNotFit();
      await trx.insertInto('recording_chunks').values(chunkRow(chunk)).execute();
      await then(trx, row);
      return row;
    });
  } catch (error) {
    if (error instanceof DoesNotFit) return undefined;
    throw error;
  }
}

function grow(
  trx: Transaction<Tables>,
  { sessionId, index, startedAt, summary, eventBytes, pictureBytes, missingMs }: StoredChunk,
  maxBytesBefore: number,
): Promise<RecordingRow | undefined> {
  return trx
    .updateTable('recordings')
    .set((e) => ({
      chunks: index + 1,
      ...(index === 0 && { started_at: startedAt }),
      ...(missingMs > 0 && { missing_ms: missingMs }),
      duration_ms: sql<number>`case when duration_ms < ${summary.toMs} then ${summary.toMs} else duration_ms end`,
      events: e('events', '+', summary.events),
      errors: e('errors', '+', summary.errors),
      pictures: e('pictures', '+', pictureBytes > 0 ? summary.pictureTimes.length : 0),
      bytes: e('bytes', '+', eventBytes + pictureBytes),
      picture_bytes: e('picture_bytes', '+', pictureBytes),
    }))
    .where('session_id', '=', sessionId)
    .where('state', '=', 'recording')
    .where('chunks', '=', index)
    .where('bytes', '<=', maxBytesBefore)
    .returningAll()
    .executeTakeFirst();
}

const chunkRow = ({
  sessionId,
  index,
  summary,
  eventBytes,
  pictureBytes,
}: StoredChunk): RecordingChunkRow => ({
  session_id: sessionId,
  number: index,
  from_ms: summary.fromMs,
  to_ms: summary.toMs,
  events: summary.events,
  errors: summary.errors,
  picture_times: JSON.stringify(pictureBytes > 0 ? summary.pictureTimes : []),
  event_bytes: eventBytes,
  picture_bytes: pictureBytes,
});

/** Marks that nothing more is stored, because this chunk does not fit. False: it is stored already. */
export async function setFull(db: Database, sessionId: string, chunk: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recordings')
    .set({ is_full: 1 })
    .where('session_id', '=', sessionId)
    .where('chunks', '=', chunk)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Makes a recording ready, in a transaction that holds the account's lock. Returns undefined if it is already. */
export function setReady(
  trx: Transaction<Tables>,
  sessionId: string,
  times: { endedAt: number; expiresAt: number },
): Promise<RecordingRow | undefined> {
  return trx
    .updateTable('recordings')
    .set((e) => ({
      state: 'ready',
      ended_at: e.fn.coalesce('ended_at', e.val(times.endedAt)),
      expires_at: e.case().when('ended_at', 'is', null).then(times.expiresAt).else(e.ref('expires_at')).end(),
    }))
    .where('session_id', '=', sessionId)
    .where('state', '=', 'recording')
    .returningAll()
    .executeTakeFirst();
}

export function findRow(db: Database, sessionId: string): Promise<RecordingRow | undefined> {
  return db.selectFrom('recordings').selectAll().where('session_id', '=', sessionId).executeTakeFirst();
}

/** Reads the state of a session that has no recording (yet). */
export async function sessionState(db: Database, sessionId: string): Promise<SessionState | undefined> {
  const row = await db.selectFrom('sessions').select('state').where('id', '=', sessionId).executeTakeFirst();
  return row?.state;
}

/** Reads why a session ended, if it has and there is a reason. */
export async function endReason(db: Database, sessionId: string): Promise<EndReason | undefined> {
  const query = db.selectFrom('sessions').select('end_reason').where('id', '=', sessionId);
  return (await query.executeTakeFirst())?.end_reason ?? undefined;
}

/** Finds a recording of an account by its session's id or CDP id. */
export function findRecording(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
): Promise<RecordingRow | undefined> {
  const isSessionId = sessionIdPattern.test(id);
  let query = db
    .selectFrom('recordings')
    .selectAll('recordings')
    .where('recordings.account_id', '=', accountId)
    .where('recordings.state', '!=', 'deleting');
  query = isSessionId
    ? query.where('session_id', '=', id)
    : query
        .innerJoin('sessions', 'sessions.id', 'recordings.session_id')
        .where('sessions.cdp_id', '=', id.replaceAll('\0', ''));
  return query.executeTakeFirst();
}

/** Finds a recording that somebody has a link to, unless its account is suspended. */
export function findSharedRecording(db: Database, sessionId: string): Promise<RecordingRow | undefined> {
  return db
    .selectFrom('recordings')
    .innerJoin('accounts', 'accounts.id', 'recordings.account_id')
    .selectAll('recordings')
    .where('session_id', '=', sessionId)
    .where('recordings.state', '!=', 'deleting')
    .where('accounts.status', '=', 'active')
    .executeTakeFirst();
}

/** Lists an account's recordings, newest first. */
export function listRecordings(
  db: Database,
  accountId: string,
  { limit, after }: PageRequest,
): Promise<RecordingRow[]> {
  let query = db
    .selectFrom('recordings')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', '!=', 'deleting');
  if (after) query = query.where(behind('started_at', 'session_id', after));
  return query.orderBy('started_at', 'desc').orderBy('session_id', 'desc').limit(limit).execute();
}

/** Lists chunks of a recording, in order. */
export function listChunks(
  db: Database,
  sessionId: string,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<RecordingChunkRow[]> {
  return db
    .selectFrom('recording_chunks')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('number', '>=', from)
    .where('number', '<=', to)
    .orderBy('number')
    .limit(limit)
    .execute();
}
