import type { RecordingChunkRow, RecordingRow } from '../store/tables/recording-tables.ts';
import type { RecordingContext } from './recording-context.ts';
import { listChunks } from './recording-store.ts';

/** Rows that are read at a time. */
const pageSize = 200;

/** More than the longest session has. */
export const lastChunk = 999_999_999;

export interface ChunkRange {
  from: number;
  to: number;
}

export const wholeRange: ChunkRange = { from: 0, to: lastChunk };

/** Lists the chunks of a range, page by page, however many there are. */
export async function* chunksOf(
  { db }: Pick<RecordingContext, 'db'>,
  { session_id }: RecordingRow,
  { from, to }: ChunkRange,
): AsyncGenerator<RecordingChunkRow> {
  for (let next = from; ; ) {
    const rows = await listChunks(db, session_id, { from: next, to, limit: pageSize });
    yield* rows;
    if (rows.length < pageSize) return;
    next = (rows.at(-1)?.number ?? to) + 1;
  }
}
