import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { downloadFileApi, listFilesApi, removeFileApi, uploadFileApi } from './file-api.ts';
import { ownSession } from './own-session.ts';
import { filesUrl } from './present-session.ts';

type Params = { id: string; name?: string };

/** Files go straight between the client and the machine where the browser runs: the answer is where that is. */
export function fileRoutes(app: FastifyInstance, gateway: Gateway): void {
  /** Before a body is read: it is not for us. */
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const { id, name } = request.params as Params;
    const session = await ownSession(gateway, request, id);
    if (session.state !== 'ACTIVE')
      throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
    const base = filesUrl(session);
    return reply.redirect(name === undefined ? base : `${base}/${encodeURIComponent(name)}`, 307);
  };
  const sentOn = async (): Promise<never> => {
    throw new ApiError('internal');
  };
  app.get('/api/browser/:id/files', { config: { api: listFilesApi }, onRequest }, sentOn);
  app.get('/api/browser/:id/files/:name', { config: { api: downloadFileApi }, onRequest }, sentOn);
  app.put('/api/browser/:id/files/:name', { config: { api: uploadFileApi }, onRequest }, sentOn);
  app.delete('/api/browser/:id/files/:name', { config: { api: removeFileApi }, onRequest }, sentOn);
}
