import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import type { Routes } from '../http/routes.ts';
import type { Context } from '../seams/context.ts';
import { type FilesRoute, ownFilesUrl } from './caller-files.ts';
import { downloadFileApi, listFilesApi, removeFileApi, uploadFileApi } from './file-api.ts';

/** Redirects file requests to the host that runs the browser: the gateway does not carry files. */
export function fileRoutes(app: Routes, gateway: Pick<Context, 'db' | 'now'>): void {
  /** Redirects before the body is read: it is for the host. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(await ownFilesUrl(gateway, request as FastifyRequest<FilesRoute>), 307);
  const redirected = async (): Promise<never> => {
    throw new ApiError('internal');
  };
  app.get('/api/browser/:id/files', { config: { auth: 'key', api: listFilesApi }, onRequest }, redirected);
  app.get(
    '/api/browser/:id/files/:name',
    { config: { auth: 'key-or-cookie', api: downloadFileApi }, onRequest },
    redirected,
  );
  app.put(
    '/api/browser/:id/files/:name',
    { config: { auth: 'key', api: uploadFileApi }, onRequest },
    redirected,
  );
  app.delete(
    '/api/browser/:id/files/:name',
    { config: { auth: 'key', api: removeFileApi }, onRequest },
    redirected,
  );
}
