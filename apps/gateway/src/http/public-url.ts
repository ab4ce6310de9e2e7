import type { FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';

/** The gateway as people reach it: as it was told, or as whoever asks reached it. */
export function publicUrlOf({ publicUrl }: Pick<Gateway, 'publicUrl'>, request: FastifyRequest): string {
  return publicUrl ?? request.headers.origin ?? `${request.protocol}://${request.host}`;
}
