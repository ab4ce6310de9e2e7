import type { Database } from '../store/database.ts';
import { readStoredJson } from '../store/stored-json.ts';

/** Finds the recording whose pictures an account's oldest are. */
export async function oldestWithPictures(db: Database, accountId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('recordings')
    .select('session_id')
    .where('account_id', '=', accountId)
    .where('state', '!=', 'deleting')
    .where('picture_bytes', '>', 0)
    .orderBy('started_at')
    .orderBy('session_id')
    .limit(1)
    .executeTakeFirst();
  return row?.session_id;
}

/** Lists the chunks of a recording that have pictures, the oldest first. */
export async function chunksWithPictures(db: Database, sessionId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('recording_chunks')
    .select('number')
    .where('session_id', '=', sessionId)
    .where('picture_bytes', '>', 0)
    .orderBy('number')
    .execute();
  return rows.map((row) => row.number);
}

/** Forgets the pictures of chunks, and counts them no more. Their objects are to be deleted then. */
export function forgetPictures(db: Database, sessionId: string, chunks: readonly number[]): Promise<void> {
  return db.transaction().execute(async (trx) => {
    // A write first, to take the lock: others may be thinning too.
    const recording = await trx
      .updateTable('recordings')
      .set((e) => ({ chunks: e.ref('chunks') }))
      .where('session_id', '=', sessionId)
      .where('state', '!=', 'deleting')
      .returning('account_id')
      .executeTakeFirst();
    if (!recording) return;
    const rows = await trx
      .selectFrom('recording_chunks')
      .select(['picture_bytes', 'picture_times'])
      .where('session_id', '=', sessionId)
      .where('number', 'in', chunks)
      .execute();
    const bytes = rows.reduce((sum, row) => sum + row.picture_bytes, 0);
    const pictures = rows.reduce((sum, row) => sum + readStoredJson(row.picture_times).length, 0);
    await trx
      .updateTable('recording_chunks')
      .set({ picture_bytes: 0, picture_times: '[]' })
      .where('session_id', '=', sessionId)
      .where('number', 'in', chunks)
      .execute();
    await trx
      .updateTable('recordings')
      .set((e) => ({
        bytes: e('bytes', '-', bytes),
        picture_bytes: e('picture_bytes', '-', bytes),
        pictures: e('pictures', '-', pictures),
      }))
      .where('session_id', '=', sessionId)
      .execute();
    await trx
      .updateTable('recording_usage')
      .set((e) => ({ bytes: e('bytes', '-', bytes) }))
      .where('account_id', '=', recording.account_id)
      .execute();
  });
}
