import { errors } from '@turnpike/contract/errors';
import { JsonTooDeepError, maxJsonDepth, parseBoundedJson } from '@turnpike/process/bounded-json';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { writtenOut } from './client-errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    maxBodyBytes?: number;
    /** The route reads the body itself, as a stream in `request.body`. */
    streamedBody?: boolean;
  }
}

/** Metadata is the largest part of an ordinary body. */
const defaultMaxBytes = 64 * 1024;

const tooDeep = `body must be nested at most ${maxJsonDepth} levels deep`;

type RawBody = { ok: true; bytes: Buffer } | { ok: false; rule: string };

/** A request's body: a JSON object, or the rule that it breaks. */
export type JsonBody = { ok: true; value: Record<string, unknown> } | { ok: false; rule: string };

/**
 * Reads bodies as bytes, whatever their content type. A body that cannot be used is then refused by the route, after
 * the checks that come first (a create counts whatever becomes of it). A body that takes longer than `maxMs` is cut
 * off, unless the route reads it itself.
 */
export function readBodies(app: FastifyInstance, maxMs: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.routeOptions.config.streamedBody) return done(null, payload);
    // The client went away while its key was looked up: there will be no event.
    if (request.raw.destroyed) return done(Object.assign(new Error('aborted'), { statusCode: 400 }));
    const maxBytes = request.routeOptions.config.maxBodyBytes ?? defaultMaxBytes;
    const chunks: Buffer[] = [];
    let size = 0;
    const late = setTimeout(() => {
      request.raw.socket.write(writtenOut(errors.requestTimeout));
      request.raw.socket.destroySoon();
    }, maxMs);
    payload.once('close', () => clearTimeout(late));
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      // Too large a body is read to its end, so that the connection can be used again.
      if (size <= maxBytes) chunks.push(chunk);
    });
    payload.once('error', done);
    payload.once('end', () => {
      clearTimeout(late);
      const body: RawBody =
        size > maxBytes
          ? { ok: false, rule: `body must be at most ${maxBytes} bytes` }
          : { ok: true, bytes: Buffer.concat(chunks) };
      done(null, body);
    });
  });
}

export function rawBody(request: FastifyRequest): RawBody {
  return (request.body as RawBody | undefined) ?? { ok: true, bytes: Buffer.alloc(0) };
}

export function jsonBody(request: FastifyRequest): JsonBody {
  const body = rawBody(request);
  if (!body.ok) return body;
  let value: unknown;
  try {
    value = parseBoundedJson(decodeUtf8(body.bytes));
  } catch (error) {
    const isDeep = error instanceof JsonTooDeepError;
    return { ok: false, rule: isDeep ? tooDeep : 'body must be JSON' };
  }
  return isObject(value) ? { ok: true, value } : { ok: false, rule: 'body must be a JSON object' };
}

/** Decodes UTF-8. Throws on anything else. */
export const decodeUtf8 = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(bytes);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
