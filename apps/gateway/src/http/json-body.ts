import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Metadata is the largest part of any body. */
const maxBodyBytes = 64 * 1024;

/** A request's body: a JSON object, or the rule that it broke. */
export type JsonBody = { ok: true; value: Record<string, unknown> } | { ok: false; rule: string };

/**
 * Reads bodies itself, whatever their content type, so that a body that is no JSON object is an ordinary
 * refusal of the route, after the checks that come first (a create is counted whatever becomes of it).
 */
export function readJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of payload) {
      size += chunk.length;
      // What is too much is read all the same, so that the connection can be used again.
      if (size <= maxBodyBytes) chunks.push(chunk);
    }
    if (size > maxBodyBytes) return refused(`body must be at most ${maxBodyBytes} bytes`);
    return parseJsonObject(Buffer.concat(chunks));
  });
}

const refused = (rule: string): JsonBody => ({ ok: false, rule });

export function parseJsonObject(bytes: Uint8Array): JsonBody {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refused('body must be JSON');
  }
  return isObject(value) ? { ok: true, value } : refused('body must be a JSON object');
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function jsonBody(request: FastifyRequest): JsonBody {
  return (request.body as JsonBody | undefined) ?? refused('body must be a JSON object');
}
