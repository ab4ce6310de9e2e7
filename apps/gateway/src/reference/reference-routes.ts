import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../http/api-error.ts';
import type { OpenApiDocument } from '../http/openapi.ts';
import { PageFile, sendPageFile } from '../http/page-file.ts';
import { GuideLibrary } from './guide-library.ts';
import { guidePage, missingPage } from './guide-page.ts';
import { pageScript, pageScriptNames } from './page-scripts.ts';

/** Scripts, styles and images come from here. Nothing is inline, and nothing may frame the pages. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const root = join(import.meta.dirname, '../../../..');
const imageTypes: Readonly<Record<string, string>> = { '.png': 'image/png', '.webp': 'image/webp' };
const types = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const;

type Named = FastifyRequest<{ Params: { name: string } }>;

/** `/docs`: the guides of the folder `docs`, the OpenAPI document as a page, and a page that opens a session. */
export function referenceRoutes(app: FastifyInstance): void {
  const config = { open: true, api: false } as const;
  let library: Promise<GuideLibrary> | undefined;
  const load = () => {
    library ??= GuideLibrary.open(root);
    return library;
  };
  const document = (): OpenApiDocument => JSON.parse(app.openApi.json());

  // Each is made when it is first asked for, and kept: there are as many as there are documents.
  const kept = new Map<string, Promise<PageFile>>();
  const keep = (key: string, type: keyof typeof types, make: () => Promise<string>): Promise<PageFile> => {
    const known = kept.get(key);
    if (known) return known;
    const made = make().then((text) => new PageFile(types[type], Buffer.from(text)));
    kept.set(key, made);
    made.catch(() => kept.delete(key));
    return made;
  };
  const send = async (request: FastifyRequest, reply: FastifyReply, file: Promise<PageFile>) =>
    sendPageFile(
      request,
      reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': policy }),
      await file,
    );

  const sendGuide = async (request: FastifyRequest, reply: FastifyReply) => {
    const url = new URL(request.url, 'http://gateway').pathname.replace(/\/$/, '');
    const guides = await load();
    const guide = guides.find(url);
    if (guide)
      return send(
        request,
        reply,
        keep(url, 'html', () => guidePage(guides, guide)),
      );
    return send(
      request,
      reply.code(404),
      keep('missing', 'html', async () => missingPage(guides)),
    );
  };
  for (const path of ['/docs', '/docs/:name', '/docs/decisions/:name']) app.get(path, { config }, sendGuide);

  app.get('/docs/reference', { config }, (request, reply) =>
    send(
      request,
      reply,
      keep('/docs/reference', 'html', async () => {
        const { referencePage } = await import('./reference-page.ts');
        return referencePage(document(), (await load()).groups);
      }),
    ),
  );
  app.get('/docs/try', { config }, (request, reply) =>
    send(
      request,
      reply,
      keep('/docs/try', 'html', async () => {
        const { tryPage } = await import('./try-page.ts');
        return tryPage((await load()).groups);
      }),
    ),
  );
  app.get('/docs/search.json', { config }, (request, reply) =>
    send(
      request,
      reply,
      keep('/docs/search.json', 'json', async () => {
        const { searchIndex } = await import('./search-index.ts');
        return JSON.stringify(await searchIndex(await load(), document()));
      }),
    ),
  );
  app.get('/docs/style.css', { config }, (request, reply) =>
    send(
      request,
      reply,
      keep('/docs/style.css', 'css', () => readFile(join(import.meta.dirname, 'style.css'), 'utf8')),
    ),
  );
  for (const name of pageScriptNames()) {
    app.get(`/docs/page/${name}`, { config }, (request, reply) =>
      send(
        request,
        reply,
        keep(name, 'js', () => pageScript(name)),
      ),
    );
  }
  // Read each time: images are large, and few readers come to them.
  app.get('/docs/images/:name', { config }, async (request: Named, reply) => {
    const { name } = request.params;
    const type = imageTypes[extname(name)];
    if (!type || !(await load()).images.has(name)) throw new ApiError('notFound');
    const body = await readFile(join(root, 'docs/images', name));
    return sendPageFile(request, reply.header('cache-control', 'max-age=3600'), new PageFile(type, body));
  });
}
