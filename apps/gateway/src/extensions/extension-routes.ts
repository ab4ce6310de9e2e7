import { apiRoutes } from '@turnpike/contract/dashboard/routes';
import { maxPackageBytes } from '@turnpike/contract/extension';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FairSlots } from '../http/answers/fair-slots.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import { rawBody } from '../http/json-body.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { deleteOwn, findOwn, listOwn } from './caller-extensions.ts';
import { deleteExtensionApi, extensionApi, extensionsApi, uploadExtensionApi } from './extension-api.ts';
import type { ExtensionContext } from './extension-context.ts';
import { invalidExtension, uploadExtension } from './upload-extension.ts';

const auth = 'key-or-cookie';

/** Each upload is in memory while it is checked, so their number bounds the memory. */
const uploadSlots = {
  atOnce: 8,
  perOwner: 2,
  waitingPerOwner: 8,
  maxWaitMs: 20_000,
  tooMany: 'tooManyUploads',
} as const;

export function extensionRoutes(app: Routes, context: ExtensionContext): void {
  const { db } = context;
  const { answer } = typedRoutes(app, apiRoutes);
  const slots = new FairSlots(uploadSlots);

  /** Before the body is read. */
  const holdSlot = async (request: FastifyRequest, reply: FastifyReply) => {
    const slot = await slots.take(request.account.id, disconnectSignal(reply));
    reply.raw.once('close', () => slot[Symbol.dispose]());
    if (reply.raw.destroyed) slot[Symbol.dispose]();
  };

  answer('GET /user/api/extensions', { config: { auth, api: extensionsApi } }, async ({ account }) => ({
    extensions: await listOwn(db, account.id),
  }));

  answer(
    'POST /user/api/extensions',
    {
      config: {
        auth,
        api: uploadExtensionApi,
        bodyType: 'application/octet-stream',
        maxBodyBytes: maxPackageBytes,
      },
      onRequest: holdSlot,
    },
    async (request) => {
      const body = rawBody(request);
      if (!body.ok) throw invalidExtension(`It must be at most ${maxPackageBytes} bytes.`);
      return uploadExtension(context, request.account.id, body.bytes);
    },
  );

  answer(
    'GET /user/api/extensions/:id',
    { config: { auth, api: extensionApi } },
    async ({ account, params: { id } }) => findOwn(db, account.id, id),
  );

  answer(
    'DELETE /user/api/extensions/:id',
    { config: { auth, api: deleteExtensionApi } },
    async ({ account, params: { id } }) => {
      await deleteOwn(db, account.id, id);
      return { id };
    },
  );
}
