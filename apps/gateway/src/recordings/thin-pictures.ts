import { objectKey } from './chunk-objects.ts';
import type { RecordingParts } from './recording-context.ts';
import { chunksWithPictures, forgetPictures, oldestWithPictures } from './thinning-store.ts';

/** How many chunks one step takes the pictures of, so that a statement stays small. */
const maxInStep = 500;

/**
 * Chooses whose pictures go first: every second of the older half. Repeated, this leaves the fewest pictures where they
 * are oldest, and takes the last ones too.
 */
export function picturesToThin(chunks: readonly number[]): number[] {
  const older = chunks.slice(0, Math.ceil(chunks.length / 2));
  return older.filter((_, i) => i % 2 === 0).slice(0, maxInStep);
}

/** Deletes some of the oldest pictures of a session, or of an account. False: there are none. */
export async function thinPictures(
  context: RecordingParts,
  of: { sessionId: string } | { accountId: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { db, logger, recordingStorage } = context;
  const sessionId = 'sessionId' in of ? of.sessionId : await oldestWithPictures(db, of.accountId);
  if (sessionId === undefined) return false;
  const chunks = picturesToThin(await chunksWithPictures(db, sessionId));
  if (chunks.length === 0) return false;
  await forgetPictures(db, sessionId, chunks);
  const keys = chunks.map((chunk) => objectKey({ sessionId, chunk, kind: 'pictures' }));
  // What is left of them goes with the recording.
  await recordingStorage.delete(keys, signal).catch((err) => {
    logger.warn({ err, sessionId }, 'could not delete pictures of a recording now; they go with it');
  });
  return true;
}
