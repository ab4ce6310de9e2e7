import type { RecordingFormat } from '@turnpike/contract/recording-answers';
import type { RecordingFile, RecordingReader } from '../seams/recording-reader.ts';
import type { RecordingRow } from '../store/tables.ts';
import { deleteOwnRecording, describeRecording, shareRecording } from './caller-recording.ts';
import { readPicture } from './read-recording.ts';
import type { RecordingContext } from './recording-context.ts';
import { findRecording, findSharedRecording } from './recording-store.ts';
import { eventsOf, openExport } from './send-recording.ts';
import { readShareToken } from './share-link.ts';

/** How long a page may wait for the storage. */
const readTimeoutMs = 30_000;

/** What the dashboard reads of recordings. `base` is the gateway's URL for people, for links. */
export function recordingReader(context: RecordingContext, base: string): RecordingReader {
  const find = (accountId: string, id: string) => findRecording(context.db, { accountId, id });
  return {
    async index(accountId, sessionId, after) {
      const row = await find(accountId, sessionId);
      return row && describeRecording(context, row, after);
    },
    async events(accountId, sessionId, range, signal) {
      const row = await find(accountId, sessionId);
      return row && eventsOf(context, row, range, signal);
    },
    async picture(accountId, sessionId, chunk, picture) {
      const row = await find(accountId, sessionId);
      const signal = AbortSignal.timeout(readTimeoutMs);
      return row && readPicture(context, row, { chunk, picture }, signal);
    },
    async download(accountId, sessionId, format, signal) {
      const row = await find(accountId, sessionId);
      return row && fileOf(context, row, format, signal);
    },
    async remove(accountId, sessionId) {
      const row = await find(accountId, sessionId);
      if (row) await deleteOwnRecording(context, row);
      return row !== undefined;
    },
    async share(accountId, sessionId, hours) {
      const row = await find(accountId, sessionId);
      return row && shareRecording(context, row, hours, base);
    },
    async openShare(token) {
      const id = readShareToken(context.sealer, token, context.now());
      const row = id === undefined ? undefined : await findSharedRecording(context.db, id);
      return row && { accountId: row.account_id, sessionId: row.session_id };
    },
  };
}

async function fileOf(
  context: RecordingContext,
  row: RecordingRow,
  format: RecordingFormat,
  signal: AbortSignal,
): Promise<RecordingFile> {
  const { type, content } = await openExport(context, row, format, signal);
  return { contentType: type, name: `${row.session_id}.${format}`, content };
}
