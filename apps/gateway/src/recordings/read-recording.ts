import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { ApiError } from '../http/api-error.ts';
import type { RecordingChunkRow, RecordingRow } from '../store/tables/recording-tables.ts';
import { withStorage } from './caller-recording.ts';
import { type ObjectKind, objectKey, openObject, unpackPictures } from './chunk-objects.ts';
import type { RecordingContext } from './recording-context.ts';
import { listChunks } from './recording-store.ts';

/** Events of a chunk are at most 4 MiB; a little more is no reason to lose them. */
const maxLineBytes = 5 * 2 ** 20;

const unzip = promisify(gunzip);

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
  // A copy: the one that was found is part of all pictures of its chunk.
  return Buffer.from(found);
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
    return sealed && (await openObject(context.sealer, name, sealed));
  } catch (cause) {
    throw new ApiError('recordingUnavailable', { cause });
  }
}
