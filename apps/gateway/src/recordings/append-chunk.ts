import { RepeatChunkError } from '@turnpike/cluster/recording-calls';
import type { AppendResult, RecordingChunk, RecordingSink } from '@turnpike/contract/recording';
import { within } from '@turnpike/process/within';
import type { Database } from '../store/database.ts';
import { objectKey, sealChunk } from './chunk-objects.ts';
import { appendTimeoutMs, endsOfHosts, takenMs } from './last-chunk.ts';
import { makeReady } from './make-ready.ts';
import type { RecordingContext, RecordingParts } from './recording-context.ts';
import {
  endReason,
  findRow,
  insertChunk,
  type StoredChunk,
  sessionState,
  setFull,
} from './recording-store.ts';
import { thinPictures } from './thin-pictures.ts';

/** A chunk that no host sends, so it is not stored. */
class BadChunkError extends Error {
  constructor(rule: string) {
    super(`The chunk of a recording is not valid: ${rule}.`);
    this.name = 'BadChunkError';
  }
}

const maxEventBytes = 2 ** 20;
const maxPictureBytes = 512 * 1024;
const maxPictures = 8;

export const recordingSink = (context: RecordingContext): RecordingSink => ({
  async append(chunk, signal) {
    try {
      return await appendChunk(context, chunk, signal);
    } catch (error) {
      if (!(error instanceof RepeatChunkError)) {
        context.metrics.itemFailed('recording_chunk');
        const { sessionId, index } = chunk;
        context.logger.warn({ err: error, sessionId, chunk: index }, 'could not store a part of a recording');
      }
      throw error;
    }
  },
});

/**
 * Stores the next chunk of a recording: its objects first, then its row, by which it counts. A crash between the two
 * leaves objects that the repeated chunk replaces, or that are deleted with the recording.
 */
async function appendChunk(
  context: RecordingContext,
  chunk: RecordingChunk,
  callerGone: AbortSignal,
): Promise<AppendResult> {
  const { recordingStorage } = context;
  if (!recordingStorage) return 'unknown';
  checkChunk(chunk);
  const known = await recordingState(context, chunk);
  if (typeof known === 'string') return known;
  using limit = within(appendTimeoutMs, callerGone);
  const parts: RecordingParts = { ...context, recordingStorage };
  return storeChunk(parts, chunk, { accountId: known.accountId, signal: limit.signal });
}

interface StoreOptions {
  accountId: string;
  /** How much of the session is missing at its end. */
  missingMs?: number;
  signal: AbortSignal;
}

/** Stores a chunk that is the next one, without a look at where its recording stands. */
export async function storeChunk(
  context: RecordingParts,
  chunk: RecordingChunk,
  { accountId, missingMs = 0, signal }: StoreOptions,
): Promise<AppendResult> {
  const { recordingStorage } = context;
  const receivedAt = context.now();
  const sealed = sealChunk(context.sealer, chunk);
  const at = { sessionId: chunk.sessionId, chunk: chunk.index };
  await recordingStorage.put(objectKey({ ...at, kind: 'events' }), sealed.events, signal);
  if (sealed.pictures)
    await recordingStorage.put(objectKey({ ...at, kind: 'pictures' }), sealed.pictures, signal);
  const stored: StoredChunk = {
    sessionId: chunk.sessionId,
    accountId,
    index: chunk.index,
    summary: chunk.summary,
    isLast: chunk.isLast,
    startedAt: Math.round(receivedAt - chunk.ageMs),
    eventBytes: sealed.events.length,
    pictureBytes: sealed.pictures?.length ?? 0,
    missingMs,
  };
  return storeRow(context, stored, signal);
}

/** Stores a chunk's row. Where it does not fit, the oldest pictures go, and then its own. */
async function storeRow(
  context: RecordingParts,
  chunk: StoredChunk,
  signal: AbortSignal,
): Promise<AppendResult> {
  const { db, logger, recordingLimits, recordingStorage } = context;
  const { sessionId, accountId, index } = chunk;
  for (;;) {
    signal.throwIfAborted();
    const row = await insertChunk(db, chunk, recordingLimits, async (trx) => {
      if (chunk.isLast) await makeReady(context, trx, chunk);
    });
    if (row) return 'stored';
    const known = await recordingState(context, chunk);
    if (typeof known === 'string') return known;
    const isSessionFull =
      known.bytes + chunk.eventBytes + chunk.pictureBytes > recordingLimits.sessionMaxBytes;
    if (await thinPictures(context, isSessionFull ? { sessionId } : { accountId }, signal)) continue;
    if (chunk.pictureBytes > 0) {
      await recordingStorage.delete([objectKey({ sessionId, chunk: index, kind: 'pictures' })], signal);
      chunk = { ...chunk, pictureBytes: 0 };
    } else if (await setFull(db, sessionId, index)) {
      // Its events stay until the recording is deleted: another gateway may be storing the same chunk.
      logger.info({ sessionId, accountId }, 'a recording is full');
      return 'full';
    }
  }
}

/** Tells where a recording stands, or why a chunk is not to be stored (again). */
async function recordingState(
  { db, now }: RecordingContext,
  { sessionId, index }: Pick<RecordingChunk, 'sessionId' | 'index'>,
): Promise<AppendResult | { accountId: string; bytes: number }> {
  const row = await findRow(db, sessionId);
  if (!row) {
    if ((await sessionState(db, sessionId)) === 'STARTING')
      throw new RepeatChunkError('The session is still starting.');
    return 'unknown';
  }
  if (row.state === 'deleting') return 'unknown';
  if (index < row.chunks) return 'stored';
  if (row.state === 'ready' || row.is_full === 1) return 'full';
  if (row.ended_at !== null && now() > row.ended_at + (await takenFor(db, sessionId))) return 'full';
  if (index > row.chunks) throw new RepeatChunkError(`Chunk ${row.chunks} must come first.`);
  return { accountId: row.account_id, bytes: row.bytes };
}

/** How long after its session's end a recording takes chunks. */
async function takenFor(db: Database, sessionId: string): Promise<number> {
  const reason = await endReason(db, sessionId);
  return reason && endsOfHosts.includes(reason) ? takenMs.afterHost : takenMs.otherwise;
}

function checkChunk({ index, ageMs, events, pictures, summary }: RecordingChunk): void {
  if (!Number.isSafeInteger(index) || index < 0 || index > 1e8)
    throw new BadChunkError('its number is wrong');
  if (!Number.isFinite(ageMs)) throw new BadChunkError('its age is wrong');
  if (events.length > maxEventBytes) throw new BadChunkError(`its events are over ${maxEventBytes} bytes`);
  if (pictures.length > maxPictures) throw new BadChunkError(`it has over ${maxPictures} pictures`);
  if (pictures.some(({ length }) => length > maxPictureBytes))
    throw new BadChunkError(`a picture is over ${maxPictureBytes} bytes`);
  if (pictures.length !== summary.pictureTimes.length)
    throw new BadChunkError('its numbers of pictures and of picture times differ');
}
