import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../seams/context.ts';
import { type FilesRoute, ownFilesUrl } from './caller-files.ts';
import { downloadFileApi, listFilesApi, removeFileApi, uploadFileApi } from './file-api.ts';

/** Files go straight between the client and the machine where the browser runs: the answer is where that is. */
export function fileRoutes(app: FastifyInstance, gateway: Pick<Context, 'db' | 'now'>): void {
  /** Before a body is read: it is not for us. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) =>
    reply.redirect(await ownFilesUrl(gateway, request as FastifyRequest<FilesRoute>), 307);
  const sentOn = async (): Promise<never> => {
    throw new ApiError('internal');
  };
  app.get('/api/browser/:id/files', { config: { api: listFilesApi }, onRequest }, sentOn);
  app.get('/api/browser/:id/files/:name', { config: { api: downloadFileApi }, onRequest }, sentOn);
  app.put('/api/browser/:id/files/:name', { config: { api: uploadFileApi }, onRequest }, sentOn);
  app.delete('/api/browser/:id/files/:name', { config: { api: removeFileApi }, onRequest }, sentOn);
}
