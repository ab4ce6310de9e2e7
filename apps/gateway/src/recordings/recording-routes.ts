import { apiRoutes } from '@turnpike/contract/dashboard/routes';
import { Recording, RecordingPage } from '@turnpike/contract/recording-answers';
import { publicUrlOf } from '../http/public-url.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { deleteOwnRecording, listOwnRecordings, ownRecording, shareRecording } from './caller-recording.ts';
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

const auth = 'key-or-cookie';

export function recordingRoutes(
  app: Routes,
  context: RecordingContext & { publicUrl?: string | undefined },
): void {
  const { answer, send } = typedRoutes(app, apiRoutes);

  app.get(
    '/user/api/recordings',
    { config: { auth: 'key', api: recordingsApi }, schema: { response: { 200: RecordingPage } } },
    async ({ account, query }) => listOwnRecordings(context, account.id, query),
  );

  send(
    'GET /api/browser/:id/recording',
    { config: { auth, api: recordingApi, isLargeRead: true }, schema: { response: { 200: Recording } } },
    async (request, reply) =>
      sendIndex(context, await ownRecording(context, request, request.params.id), request, reply),
  );

  send(
    'GET /api/browser/:id/recording/events',
    { config: { auth, api: recordingEventsApi, isLargeRead: true } },
    async (request, reply) =>
      sendEvents(context, await ownRecording(context, request, request.params.id), request, reply),
  );

  send(
    'GET /api/browser/:id/recording/pictures/:chunk/:picture',
    { config: { auth, api: recordingPictureApi, isLargeRead: true } },
    async (request, reply) =>
      sendPicture(context, await ownRecording(context, request, request.params.id), request.params, reply),
  );

  send(
    'GET /api/browser/:id/recording/export',
    { config: { auth, api: recordingExportApi, isLargeRead: true } },
    async (request, reply) =>
      sendExport(context, await ownRecording(context, request, request.params.id), request, reply),
  );

  answer(
    'DELETE /api/browser/:id/recording',
    { config: { auth, api: deleteRecordingApi } },
    async (request) => {
      const row = await ownRecording(context, request, request.params.id);
      await deleteOwnRecording(context, row);
      return { sessionId: row.session_id };
    },
  );

  answer(
    'POST /api/browser/:id/recording/share',
    { config: { auth, api: shareRecordingApi } },
    async (request, _reply, readBody) => {
      const { hours } = readBody();
      const row = await ownRecording(context, request, request.params.id);
      return shareRecording(context, row, hours, publicUrlOf(context, request));
    },
  );
}
