import type { FastifyReply } from 'fastify';

/** JSON with all digits of numbers that were made for it by `exact`, which a serializer would not know. */
export function sendExactly(reply: FastifyReply, answer: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
}
