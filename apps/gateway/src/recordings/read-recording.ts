import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError } from '../http/api-error.ts';
import type { RecordingChunkRow, RecordingRow } from '../store/tables.ts';
import { lastChunk, withStorage } from './caller-recording.ts';
import { type ObjectKind, objectKey, openObject, unpackPictures } from './chunk-objects.ts';
import type { RecordingContext } from './recording-context.ts';
import { listChunks } from './recording-store.ts';

/** Events of a chunk are at most 4 MiB; a little more is no reason to lose them. */
const maxLineBytes = 5 * 2 ** 20;
/** Rows that are read at a time. */
const pageSize = 200;

const unzip = promisify(gunzip);

interface ChunkRange {
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

/** Reads the events of a chunk, gzipped as its host sent them. */
export async function readGzippedEvents(
  context: RecordingContext,
  chunk: RecordingChunkRow,
  signal: AbortSignal,
): Promise<Buffer> {
  const events = await readObject(context, chunk, 'events', signal);
  if (!events) throw new ApiError('recordingUnavailable', { detail: 'A part of it is not in the storage.' });
  return events;
}

/** Reads the events of a chunk: newline-delimited JSON. */
export async function readEvents(
  context: RecordingContext,
  chunk: RecordingChunkRow,
  signal: AbortSignal,
): Promise<Buffer> {
  return unzip(await readGzippedEvents(context, chunk, signal), { maxOutputLength: maxLineBytes });
}

/** Reads the pictures of a chunk; none where they were deleted to make room. */
export async function readPictures(
  context: RecordingContext,
  chunk: RecordingChunkRow,
  signal: AbortSignal,
): Promise<Buffer[]> {
  if (chunk.picture_bytes === 0) return [];
  const packed = await readObject(context, chunk, 'pictures', signal);
  return packed ? unpackPictures(packed) : [];
}

export async function readPicture(
  context: RecordingContext,
  { session_id }: RecordingRow,
  { chunk: from, picture }: { chunk: number; picture: number },
  signal: AbortSignal,
): Promise<Buffer> {
  const [chunk] = await listChunks(context.db, session_id, { from, to: from, limit: 1 });
  const pictures = chunk ? await readPictures(context, chunk, signal) : [];
  const found = pictures[picture];
  if (!found)
    throw new ApiError('recordingNotFound', { message: 'That picture does not exist, or not any more.' });
  return found;
}

async function readObject(
  context: RecordingContext,
  { session_id: sessionId, number: chunk }: RecordingChunkRow,
  kind: ObjectKind,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const { recordingStorage } = withStorage(context);
  const name = { sessionId, chunk, kind };
  try {
    const sealed = await recordingStorage.get(objectKey(name), signal);
    return sealed && openObject(context.sealer, name, sealed);
  } catch (cause) {
    throw new ApiError('recordingUnavailable', { cause });
  }
}
