import type { FastifyReply } from 'fastify';

export function sendCsv(reply: FastifyReply, { name, text }: { name: string; text: string }): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(text);
}
