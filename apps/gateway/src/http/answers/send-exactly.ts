import type { FastifyReply } from 'fastify';

/** Sends JSON with all digits of its exact numbers (`exactNumber`), which Fastify's serializer would lose. */
export function sendExactly(reply: FastifyReply, answer: object): FastifyReply {
  return sendJson(reply, JSON.stringify(answer));
}

/** Sends what is written as JSON already. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(json);
}
