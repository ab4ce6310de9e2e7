import {
  DeletedRecording,
  Recording,
  RecordingPage,
  ShareLink,
  ShareRequest,
} from '@turnpike/contract/recording-answers';
import { parseBody } from '../http/parse-with.ts';
import { publicUrlOf } from '../http/public-url.ts';
import type { Routes } from '../http/routes.ts';
import {
  deleteOwnRecording,
  listOwnRecordings,
  ownRecording,
  parseNumber,
  shareRecording,
} from './caller-recording.ts';
import {
  deleteRecordingApi,
  recordingApi,
  recordingEventsApi,
  recordingExportApi,
  recordingPictureApi,
  recordingsApi,
  shareRecordingApi,
} from './recording-api.ts';
import type { RecordingContext } from './recording-context.ts';
import { sendEvents, sendExport, sendIndex, sendPicture } from './send-recording.ts';

type OfSession = { Params: { id: string } };

export function recordingRoutes(
  app: Routes,
  context: RecordingContext & { publicUrl?: string | undefined },
): void {
  app.get(
    '/user/api/recordings',
    { config: { auth: 'key', api: recordingsApi }, schema: { response: { 200: RecordingPage } } },
    async ({ account, query }) => listOwnRecordings(context, account.id, query),
  );

  app.get<OfSession & { Querystring: { after?: unknown } }>(
    '/api/browser/:id/recording',
    {
      config: { auth: 'key', api: recordingApi, isLargeRead: true },
      schema: { response: { 200: Recording } },
    },
    async (request, reply) => {
      const { after } = request.query;
      const row = await ownRecording(context, request, request.params.id);
      return sendIndex(context, row, after === undefined ? undefined : parseNumber('after', after), reply);
    },
  );

  app.get<OfSession>(
    '/api/browser/:id/recording/events',
    { config: { auth: 'key', api: recordingEventsApi, isLargeRead: true } },
    async (request, reply) =>
      sendEvents(context, await ownRecording(context, request, request.params.id), request, reply),
  );

  app.get<{ Params: { id: string; chunk: string; picture: string } }>(
    '/api/browser/:id/recording/pictures/:chunk/:picture',
    { config: { auth: 'key', api: recordingPictureApi, isLargeRead: true } },
    async (request, reply) =>
      sendPicture(context, await ownRecording(context, request, request.params.id), request.params, reply),
  );

  app.get<OfSession>(
    '/api/browser/:id/recording/export',
    { config: { auth: 'key', api: recordingExportApi, isLargeRead: true } },
    async (request, reply) =>
      sendExport(context, await ownRecording(context, request, request.params.id), request, reply),
  );

  app.delete<OfSession>(
    '/api/browser/:id/recording',
    { config: { auth: 'key', api: deleteRecordingApi }, schema: { response: { 200: DeletedRecording } } },
    async (request) => {
      const row = await ownRecording(context, request, request.params.id);
      await deleteOwnRecording(context, row);
      return { sessionId: row.session_id };
    },
  );

  app.post<OfSession>(
    '/api/browser/:id/recording/share',
    { config: { auth: 'key', api: shareRecordingApi }, schema: { response: { 200: ShareLink } } },
    async (request) => {
      const { hours } = parseBody(request, ShareRequest);
      const row = await ownRecording(context, request, request.params.id);
      return shareRecording(context, row, hours, publicUrlOf(context, request));
    },
  );
}
