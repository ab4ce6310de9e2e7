import { apiRoutes } from '@turnpike/contract/dashboard/routes';
import { defaultKeepDays, SnapshotRequest } from '@turnpike/contract/saved-profile';
import { FairSlots } from '../http/answers/fair-slots.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { rawBody } from '../http/json-body.ts';
import { objectBody, parseWith } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { ownSession } from '../sessions/caller-session.ts';
import { deleteOwn, findOwn, listOwn } from './caller-snapshots.ts';
import { deleteSnapshotApi, snapshotApi, snapshotsApi, takeSnapshotApi } from './snapshot-api.ts';
import type { SnapshotContext } from './snapshot-context.ts';
import { takeSnapshot } from './take-snapshot.ts';

const auth = 'key-or-cookie';

/** Each snapshot is in memory until it is kept, so their number bounds the memory. */
const slotLimits = {
  atOnce: 4,
  perOwner: 1,
  waitingPerOwner: 8,
  maxWaitMs: 20_000,
  tooMany: 'tooManySnapshotCalls',
} as const;

export function snapshotRoutes(app: Routes, context: SnapshotContext): void {
  const { answer } = typedRoutes(app, apiRoutes);
  const slots = new FairSlots(slotLimits);

  answer(
    'POST /api/browser/:id/snapshot',
    { config: { auth, api: takeSnapshotApi } },
    async (request, reply) => {
      const session = await ownSession(context, request, request.params.id);
      const { keep = defaultKeepDays, name = '' } = parseWith(SnapshotRequest, bodyOf(request));
      using _slot = await slots.take(session.account_id, disconnectSignal(reply));
      return await takeSnapshot(context, session, { keep, name });
    },
  );

  answer('GET /user/api/snapshots', { config: { auth, api: snapshotsApi } }, async ({ account }) => ({
    snapshots: await listOwn(context, account.id),
  }));

  answer(
    'GET /user/api/snapshots/:id',
    { config: { auth, api: snapshotApi } },
    ({ account, params: { id } }) => findOwn(context, account.id, id),
  );

  answer(
    'DELETE /user/api/snapshots/:id',
    { config: { auth, api: deleteSnapshotApi } },
    async ({ account, params: { id } }) => {
      await deleteOwn(context, account.id, id);
      return { snapshot: id };
    },
  );
}

/** No body is as good as an empty one. */
function bodyOf(request: Parameters<typeof rawBody>[0]): Record<string, unknown> {
  const body = rawBody(request);
  return body.ok && body.bytes.length === 0 ? {} : objectBody(request);
}
