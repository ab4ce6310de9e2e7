import { accountRoutes, sharedRecordingRoutes } from '@turnpike/contract/dashboard/routes';
import { RecordingExportQuery } from '@turnpike/contract/recording-answers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError, badRequest } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { parseWith } from '../http/parse-with.ts';
import { begun, sendWithList } from '../http/part-streams.ts';
import { accountPage, largeAccountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import type { RecordingReader, SharedRecording } from '../seams/recording-reader.ts';

/** Chunks whose events one request may read: two minutes. */
const maxChunks = 60;

/** An account's recordings, and those that somebody shared. */
export function recordingPageRoutes(app: Routes, gateway: Gateway): void {
  const own = typedRoutes(app, accountRoutes, '/dashboard/api');
  const ofRequest = ({ account, params }: FastifyRequest<{ Params: { id: string } }>): SharedRecording => ({
    accountId: account.id,
    sessionId: params.id.replaceAll('\0', ''),
  });

  own.send('GET /sessions/:id/recording', largeAccountPage, (request, reply) =>
    sendIndex(reply, ofRequest(request), request.query),
  );
  own.send('GET /sessions/:id/recording/events', largeAccountPage, (request, reply) =>
    sendEvents(reply, ofRequest(request), request.query),
  );
  own.send('GET /sessions/:id/recording/pictures/:chunk/:picture', largeAccountPage, (request, reply) =>
    sendPicture(reply, ofRequest(request), request.params),
  );

  own.send('GET /sessions/:id/recording/export', largeAccountPage, async (request, reply) => {
    const { accountId, sessionId } = ofRequest(request);
    const { format } = parseWith(RecordingExportQuery, { format: request.query.format });
    const file = found(await reader().download(accountId, sessionId, format, disconnectSignal(reply)));
    return reply
      .header('content-disposition', `attachment; filename="${file.name}"`)
      .type(file.contentType)
      .send(file.content);
  });

  own.answer('POST /sessions/:id/recording/delete', accountPage, async (request) => {
    const { accountId, sessionId } = ofRequest(request);
    found((await reader().remove(accountId, sessionId)) || undefined);
    return { done: true };
  });

  own.answer('POST /sessions/:id/recording/share', accountPage, async (request, _reply, readBody) => {
    const { accountId, sessionId } = ofRequest(request);
    return found(await reader().share(accountId, sessionId, readBody().hours));
  });

  const shared = typedRoutes(app, sharedRecordingRoutes, '/dashboard/api');
  const open = { config: { auth: 'token', api: false } } as const;
  shared.send('GET /shared-recording', open, async (request, reply) =>
    sendIndex(reply, await ofToken(request, reply), request.query),
  );
  shared.send('GET /shared-recording/events', open, async (request, reply) =>
    sendEvents(reply, await ofToken(request, reply), request.query),
  );
  shared.send('GET /shared-recording/pictures/:chunk/:picture', open, async (request, reply) =>
    sendPicture(reply, await ofToken(request, reply), request.params),
  );

  /**
   * Finds the recording of a share link, and waits for a slot of that link. The token comes in a header, because
   * addresses are logged.
   */
  async function ofToken({ headers }: FastifyRequest, reply: FastifyReply): Promise<SharedRecording> {
    const token = headers['x-recording-token'];
    const recording = typeof token === 'string' ? await gateway.recordings?.openShare(token) : undefined;
    if (recording) {
      await gateway.reads.hold(reply, { owner: recording.accountId, link: String(token) });
      return recording;
    }
    const message = 'This link has expired. Ask the person who sent it to you for a new one.';
    throw new ApiError('linkGone', { message });
  }

  async function sendIndex(
    reply: FastifyReply,
    { accountId, sessionId }: SharedRecording,
    query: { after?: unknown },
  ): Promise<FastifyReply> {
    const after = query.after === undefined ? undefined : wholeNumber('after', query.after);
    const { chunks, ...summary } = found(await reader().index(accountId, sessionId, after));
    return sendWithList(reply, summary, 'chunks', chunks);
  }

  async function sendEvents(
    reply: FastifyReply,
    { accountId, sessionId }: SharedRecording,
    query: { from?: unknown; to?: unknown },
  ): Promise<FastifyReply> {
    const [from, to] = [wholeNumber('from', query.from), wholeNumber('to', query.to)];
    if (to < from || to - from >= maxChunks) {
      throw badRequest(`to must be from ${from} to ${from + maxChunks - 1}`, { field: 'to' });
    }
    const signal = disconnectSignal(reply);
    const events = found(await reader().events(accountId, sessionId, { from, to }, signal));
    return reply.type('application/x-ndjson; charset=utf-8').send(await begun(events));
  }

  async function sendPicture(
    reply: FastifyReply,
    { accountId, sessionId }: SharedRecording,
    params: { chunk: string; picture: string },
  ): Promise<FastifyReply> {
    const [chunk, picture] = [wholeNumber('chunk', params.chunk), wholeNumber('picture', params.picture)];
    const jpeg = found(await reader().picture(accountId, sessionId, chunk, picture));
    return reply.type('image/jpeg').send(jpeg);
  }

  function reader(): RecordingReader {
    return found(gateway.recordings);
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new ApiError('recordingNotFound');
  return value;
}

function wholeNumber(field: string, text: unknown): number {
  if (typeof text === 'string' && /^\d{1,9}$/.test(text)) return Number(text);
  throw badRequest(`${field} must be a whole number`, { field });
}
