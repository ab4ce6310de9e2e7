import { pipeline, type Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { type RecordingFormat, recordingFormats } from '@turnpike/contract/recording-answers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { begun, sendWithList } from '../http/answers/part-streams.ts';
import { badRequest } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import type { RecordingRow } from '../store/tables/recording-tables.ts';
import { describeRecording, parseNumber, parseRange } from './caller-recording.ts';
import { exportHar, exportLines } from './exports/export-recording.ts';
import { exportVideo } from './exports/export-video.ts';
import { type ChunkRange, chunksOf } from './list-chunks.ts';
import { readEvents, readGzippedEvents, readPicture } from './read-recording.ts';
import type { RecordingContext } from './recording-context.ts';

/** Answers with what a recording holds, for the API, the dashboard and share links. */

const lines = 'application/x-ndjson';

/** Sends what a recording holds, without its events. */
export async function sendIndex(
  context: RecordingContext,
  row: RecordingRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { after } = request.query as { after?: unknown };
  const last = after === undefined ? undefined : parseNumber('after', after);
  const { chunks, ...summary } = await describeRecording(context, row, last);
  return sendWithList(reply, summary, 'chunks', chunks);
}

/** Sends the events of a range of chunks. One chunk is sent as it is stored. */
export async function sendEvents(
  context: RecordingContext,
  row: RecordingRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const range = parseRange(request.query as Record<string, unknown>);
  const signal = disconnectSignal(reply);
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const sent = (content: Readable | Buffer) => {
    if (takesGzip) reply.header('content-encoding', 'gzip');
    return reply.header('vary', 'accept-encoding').type(lines).send(content);
  };
  if (takesGzip && range.from === range.to) {
    const { value: chunk } = await chunksOf(context, row, range).next();
    if (chunk) return sent(await readGzippedEvents(context, chunk, signal));
  }
  const events = await begun(eventsOf(context, row, range, signal));
  // Browsers read only the first of several gzip members, so all is one.
  return sent(takesGzip ? pipeline(events, createGzip({ level: 1 }), () => {}) : events);
}

/** Reads the events of a range of chunks, one chunk after the other. */
async function* eventsOf(
  context: RecordingContext,
  row: RecordingRow,
  range: ChunkRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunksOf(context, row, range)) yield await readEvents(context, chunk, signal);
}

export async function sendPicture(
  context: RecordingContext,
  row: RecordingRow,
  { chunk, picture }: { chunk: string; picture: string },
  reply: FastifyReply,
): Promise<FastifyReply> {
  const at = { chunk: parseNumber('chunk', chunk), picture: parseNumber('picture', picture) };
  const jpeg = await readPicture(context, row, at, disconnectSignal(reply));
  return reply.type('image/jpeg').header('x-content-type-options', 'nosniff').send(jpeg);
}

const exports: Record<
  RecordingFormat,
  {
    type: string;
    write(context: RecordingContext, row: RecordingRow, signal: AbortSignal): AsyncGenerator<string | Buffer>;
  }
> = {
  har: { type: 'application/har+json', write: exportHar },
  ndjson: { type: lines, write: exportLines },
  webm: { type: 'video/webm', write: exportVideo },
};

export async function sendExport(
  context: RecordingContext,
  row: RecordingRow,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { format } = request.query as { format?: unknown };
  const known = recordingFormats.find((name) => name === format);
  if (!known) throw badRequest(`format must be one of ${recordingFormats.join(', ')}`, { field: 'format' });
  // The answer to a HEAD has no content, which may take minutes to make.
  const { type, content } =
    request.method === 'HEAD'
      ? { type: exports[known].type, content: '' }
      : await openExport(context, row, known, disconnectSignal(reply));
  return reply
    .type(type)
    .header('content-disposition', `attachment; filename="${row.session_id}.${known}"`)
    .send(content);
}

/** Begins an export, which is then read part by part. */
async function openExport(
  context: RecordingContext,
  row: RecordingRow,
  format: RecordingFormat,
  signal: AbortSignal,
): Promise<{ type: string; content: Readable }> {
  const { type, write } = exports[format];
  return { type, content: await begun(write(context, row, signal)) };
}
