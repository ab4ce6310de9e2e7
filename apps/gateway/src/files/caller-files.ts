import type { FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import type { Context } from '../seams/context.ts';
import { ownSession } from '../sessions/caller-session.ts';
import { filesUrl } from '../sessions/present-session.ts';

export type FilesRoute = { Params: { id: string; name?: string } };

/** Returns the URL of the files of the caller's running session, or of one file, on the host that runs the browser. */
export async function ownFilesUrl(
  context: Pick<Context, 'db' | 'now'>,
  request: FastifyRequest<FilesRoute>,
): Promise<string> {
  const { id, name } = request.params;
  const session = await ownSession(context, request as FastifyRequest, id);
  if (session.state !== 'ACTIVE') {
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  }
  const base = filesUrl(session);
  return name === undefined ? base : `${base}/${encodeURIComponent(name)}`;
}
