import type { FastifyReply } from 'fastify';

/** Sends JSON with all digits of its exact numbers (`exactNumber`), which Fastify's serializer would lose. */
export function sendExactly(reply: FastifyReply, answer: object): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
}
