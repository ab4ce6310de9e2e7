import type {
  Recording,
  RecordingChunkSummary,
  RecordingPage,
  ShareLink,
} from '@turnpike/contract/recording-answers';
import { Slices } from '@turnpike/process/work/slices';
import type { FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import { parsePage } from '../http/page-query.ts';
import type { Context } from '../seams/context.ts';
import type { RecordingRow } from '../store/tables/recording-tables.ts';
import { pageOf } from '../store/time-page.ts';
import { chunksOf, lastChunk } from './list-chunks.ts';
import { presentChunk, presentRecording } from './present-recording.ts';
import type { RecordingContext, RecordingParts } from './recording-context.ts';
import { findRecording, listRecordings } from './recording-store.ts';
import { shareToken } from './share-link.ts';
import { deleteRecording } from './sweep-recordings.ts';

/** An account's operations on its recordings, for the API and the dashboard. */

export async function listOwnRecordings(
  { db }: Pick<Context, 'db'>,
  accountId: string,
  query: unknown,
): Promise<RecordingPage> {
  const request = parsePage(query);
  const rows = await listRecordings(db, accountId, { ...request, limit: request.limit + 1 });
  const { page, nextCursor } = pageOf(rows, request.limit, ({ started_at, session_id }) => ({
    at: started_at,
    id: session_id,
  }));
  return { recordings: page.map(presentRecording), nextCursor };
}

/** Finds the caller's recording by either id of its session. One that the caller may not read is a 404. */
export async function ownRecording(
  { db }: Pick<Context, 'db'>,
  request: Pick<FastifyRequest, 'account' | 'logFields'>,
  id: string,
): Promise<RecordingRow> {
  const row = await findRecording(db, { accountId: request.account.id, id });
  if (!row) throw new ApiError('recordingNotFound');
  request.logFields.sessionId = row.session_id;
  return row;
}

/** Reads what a recording holds, without its events. */
export async function describeRecording(
  { db }: Pick<Context, 'db'>,
  row: RecordingRow,
  after: number | undefined,
): Promise<Recording> {
  const slices = new Slices();
  const chunks: RecordingChunkSummary[] = [];
  for await (const chunk of chunksOf({ db }, row, {
    from: after === undefined ? 0 : after + 1,
    to: lastChunk,
  })) {
    chunks.push(presentChunk(chunk));
    await slices.pause();
  }
  return { ...presentRecording(row), chunks };
}

/** Parses the range of chunks of a query. */
export function parseRange({ from, to }: { from?: unknown; to?: unknown }): { from: number; to: number } {
  return {
    from: from === undefined ? 0 : parseNumber('from', from),
    to: to === undefined ? lastChunk : parseNumber('to', to),
  };
}

/** Parses the number of a chunk or picture. */
export function parseNumber(name: string, text: unknown): number {
  if (typeof text !== 'string' || !/^\d{1,9}$/.test(text))
    throw badRequest(`${name} must be a whole number, 0 or more`, { field: name });
  return Number(text);
}

export async function deleteOwnRecording(context: RecordingContext, row: RecordingRow): Promise<void> {
  const done = await deleteRecording(withStorage(context), row.session_id);
  if (!done) throw new ApiError('recordingNotFound');
}

/** Without storage, what was recorded before cannot be read. */
export function withStorage(context: RecordingContext): RecordingParts {
  const { recordingStorage } = context;
  if (!recordingStorage)
    throw new ApiError('recordingUnavailable', {
      detail: 'This gateway has no storage for recordings. The operator sets TURNPIKE_RECORDINGS_URL.',
    });
  return { ...context, recordingStorage };
}

/** Makes a link that reads this recording, and nothing else, until it expires. `base` is the gateway's URL for people. */
export function shareRecording(
  { sealer, now }: Pick<RecordingContext, 'sealer' | 'now'>,
  row: RecordingRow,
  hours: number,
  base: string,
): ShareLink {
  const expiresAt = Math.min(row.expires_at, now() + hours * 3_600_000);
  const token = shareToken(sealer, row.session_id, expiresAt);
  return { url: `${base}/shared-recording#token=${token}`, expiresAt: iso(expiresAt) };
}
