import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RecordedEvent } from '@turnpike/contract/recording';
import { lockAccount } from '../limits/account-lock-store.ts';
import { storeChunk } from './append-chunk.ts';
import { makeReady } from './make-ready.ts';
import type { RecordingParts } from './recording-context.ts';
import { setFull } from './recording-store.ts';
import type { UnfinishedRecording } from './retention-store.ts';

const compress = promisify(gzip);

/**
 * Ends a recording whose last chunk did not come: stores one in its place that says how much is missing, and makes the
 * recording ready. Rejects while the storage is away: then it stays unfinished, and the next sweep tries again.
 */
export async function closeRecording(
  context: RecordingParts,
  recording: UnfinishedRecording,
  signal: AbortSignal,
): Promise<void> {
  const { session_id: sessionId, account_id: accountId, started_at: startedAt } = recording;
  if (recording.is_full === 1) {
    // It says already that it ended early.
    await context.db.transaction().execute(async (trx) => {
      await lockAccount(trx, accountId);
      await makeReady(context, trx, { sessionId, accountId });
    });
    return;
  }
  const fromMs = recording.duration_ms;
  const toMs = Math.max(fromMs, (recording.ended_at ?? startedAt) - startedAt);
  const missingMs = Math.round(toMs - fromMs);
  const events: RecordedEvent[] = [
    { t: fromMs, kind: 'dropped', what: 'milliseconds', count: missingMs },
    { t: toMs, kind: 'end', reason: recording.end_reason ?? recording.session_state.toLowerCase() },
  ];
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const result = await storeChunk(
    context,
    {
      sessionId,
      index: recording.chunks,
      ageMs: context.now() - startedAt,
      isLast: true,
      events: await compress(lines.join('')),
      pictures: [],
      summary: { fromMs, toMs, events: events.length, errors: 0, pictureTimes: [] },
    },
    { accountId, missingMs, signal },
  );
  // There is no room even for this one. The next sweep makes the recording ready.
  if (result === 'full') await setFull(context.db, sessionId, recording.chunks);
  context.logger.info({ sessionId, missingMs }, 'a recording ends without its last part');
}
