import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Headers of every page and file. */
const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
} as const;

/** Content types that are worth compressing; others are compressed already. */
const compressible = /^(text|application)\/|svg/;

type Encoding = 'br' | 'gzip' | 'identity';

const compressors: Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

/** A file that browsers load, in memory. Each encoding is compressed once, when it is first asked for. */
export class PageFile {
  readonly type: string;
  readonly etag: string;
  readonly #forms = new Map<Encoding, Promise<Buffer>>();
  readonly #body: Buffer;

  constructor(type: string, body: Buffer) {
    this.type = type;
    this.etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`;
    this.#body = body;
  }

  encodingFor(acceptEncoding: string | undefined): Encoding {
    if (!compressible.test(this.type)) return 'identity';
    if (/\bbr\b/.test(acceptEncoding ?? '')) return 'br';
    return /\bgzip\b/.test(acceptEncoding ?? '') ? 'gzip' : 'identity';
  }

  body(encoding: Encoding): Promise<Buffer> {
    const known = this.#forms.get(encoding);
    if (known) return known;
    const made = encoding === 'identity' ? Promise.resolve(this.#body) : compressors[encoding](this.#body);
    this.#forms.set(encoding, made);
    return made;
  }
}

/** Sends it compressed, or as unchanged. */
export async function sendPageFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: PageFile,
): Promise<FastifyReply> {
  reply.headers({ ...pageHeaders, etag: file.etag, vary: 'accept-encoding' });
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
  const encoding = file.encodingFor(request.headers['accept-encoding']);
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.type(file.type).send(await file.body(encoding));
}
