import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** Content types that are worth compressing; others are compressed already. */
const compressible = /^(text|application)\/|svg/;

export type Encoding = 'br' | 'gzip' | 'identity';

const compressors: Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>> = {
  br: (body) =>
    promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body) => promisify(gzip)(body, { level: 9 }),
};

/** A file of the dashboard, in memory. Each encoding is compressed once, when it is first asked for. */
export class PageFile {
  readonly type: string;
  readonly etag: string;
  readonly #forms = new Map<Encoding, Promise<Buffer>>();
  readonly #body: Buffer;

  constructor(name: string, body: Buffer) {
    this.type = types[extname(name)] as string;
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

/** Loads files by path, `/index.html` among them. Empty if the dashboard has not been built. */
export function loadPageFiles(directory: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(join(directory, 'index.html'))) return new Map();
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile() && extname(entry.name) in types)
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [
        `/${relative(directory, file).split(sep).join('/')}`,
        new PageFile(file, readFileSync(file)),
      ]),
  );
}
