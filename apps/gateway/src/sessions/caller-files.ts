import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { ownSession } from './caller-session.ts';
import { filesUrl } from './present-session.ts';

export type FilesRoute = { Params: { id: string; name?: string } };

/** Where the files of the caller's running session are, on the machine where its browser runs; or one of them. */
export async function ownFilesUrl(gateway: Gateway, request: FastifyRequest<FilesRoute>): Promise<string> {
  const { id, name } = request.params;
  const session = await ownSession(gateway, request as FastifyRequest, id);
  if (session.state !== 'ACTIVE') {
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  }
  const base = filesUrl(session);
  return name === undefined ? base : `${base}/${encodeURIComponent(name)}`;
}
