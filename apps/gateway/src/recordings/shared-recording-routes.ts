import { sharedRecordingRoutes as routes } from '@turnpike/contract/dashboard/routes';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ReadSlots } from '../http/answers/read-slots.ts';
import { ApiError } from '../http/api-error.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import type { RecordingRow } from '../store/tables/recording-tables.ts';
import type { RecordingContext } from './recording-context.ts';
import { findSharedRecording } from './recording-store.ts';
import { sendEvents, sendIndex, sendPicture } from './send-recording.ts';
import { readShareToken } from './share-link.ts';

const options = { config: { auth: 'token', api: false } } as const;

/** Recordings that somebody shared, for whoever has the link. */
export function sharedRecordingRoutes(app: Routes, context: RecordingContext & { reads: ReadSlots }): void {
  const { send } = typedRoutes(app, routes, '/dashboard/api');

  send('GET /shared-recording', options, async (request, reply) =>
    sendIndex(context, await ofToken(request, reply), request, reply),
  );

  send('GET /shared-recording/events', options, async (request, reply) =>
    sendEvents(context, await ofToken(request, reply), request, reply),
  );

  send('GET /shared-recording/pictures/:chunk/:picture', options, async (request, reply) =>
    sendPicture(context, await ofToken(request, reply), request.params, reply),
  );

  /**
   * Finds the recording of a share link, and waits for a slot of that link. The token comes in a header, because
   * addresses are logged.
   */
  async function ofToken({ headers }: FastifyRequest, reply: FastifyReply): Promise<RecordingRow> {
    const token = String(headers['x-recording-token'] ?? '');
    const id = readShareToken(context.sealer, token, context.now());
    const row = id === undefined ? undefined : await findSharedRecording(context.db, id);
    if (row) {
      await context.reads.hold(reply, { owner: row.account_id, link: token });
      reply.header('x-content-type-options', 'nosniff');
      return row;
    }
    const message = 'This link has expired. Ask the person who sent it to you for a new one.';
    throw new ApiError('linkGone', { message });
  }
}
