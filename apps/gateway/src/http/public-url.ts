import type { FastifyRequest } from 'fastify';

/** The gateway's URL for people: the one that is set, or the one that this request used. */
export function publicUrlOf(
  { publicUrl }: { publicUrl?: string | undefined },
  request: FastifyRequest,
): string {
  return publicUrl ?? request.headers.origin ?? `${request.protocol}://${request.host}`;
}
