import { Poll } from '@turnpike/process/poll';
import { closeRecording } from './close-recording.ts';
import { appendTimeoutMs } from './last-chunk.ts';
import type { RecordingParts } from './recording-context.ts';
import {
  deleteRows,
  expiredRecordings,
  recordingsToDelete,
  setDeleting,
  unfinishedRecordings,
} from './retention-store.ts';

const pollMs = 5000;
/** How long after its deletion a recording may still get an object, from an append that was in progress. */
const settleMs = 2 * appendTimeoutMs;
const deleteTimeoutMs = 60_000;

/** Makes recordings ready whose host is silent, and deletes those that have expired, every few seconds. */
export const startSweeps = (context: RecordingParts): Poll =>
  new Poll(
    pollMs,
    () => sweepRecordings(context),
    (error) => context.logger.warn({ err: error }, 'could not sweep recordings; will retry'),
  );

/** Runs on any number of gateways at once: every step is conditional or safe to repeat. */
export async function sweepRecordings(context: RecordingParts): Promise<void> {
  const { db, logger, now } = context;
  for (const recording of await unfinishedRecordings(db, now())) {
    await closeRecording(context, recording, AbortSignal.timeout(appendTimeoutMs)).catch((error: unknown) => {
      const { session_id: sessionId } = recording;
      logger.warn({ err: error, sessionId }, 'could not end a recording now; will retry');
    });
  }
  for (const { session_id: sessionId } of await expiredRecordings(db, now()))
    await deleteRecording(context, sessionId);
  for (const { session_id: sessionId } of await recordingsToDelete(db, now() - settleMs)) {
    // Once more: an append may have been in progress at the deletion.
    if (await deleteObjects(context, sessionId)) {
      await deleteRows(db, sessionId);
      logger.debug({ sessionId }, 'deleted a recording');
    }
  }
}

/**
 * Deletes a recording: at once for its account, then its objects, and a minute later its rows. After a crash at any step
 * a sweep does the rest. False: there is none.
 */
export async function deleteRecording(context: RecordingParts, sessionId: string): Promise<boolean> {
  if (!(await setDeleting(context.db, sessionId, context.now()))) return false;
  await deleteObjects(context, sessionId);
  return true;
}

/** False: the storage does not answer, and a sweep will try again. */
async function deleteObjects(
  { logger, recordingStorage }: RecordingParts,
  sessionId: string,
): Promise<boolean> {
  try {
    await recordingStorage.deleteSession(sessionId, AbortSignal.timeout(deleteTimeoutMs));
    return true;
  } catch (error) {
    logger.warn({ err: error, sessionId }, 'could not delete a recording now; will retry');
    return false;
  }
}
