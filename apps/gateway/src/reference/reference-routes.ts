import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PageFile, sendPageFile } from '../http/answers/page-file.ts';
import { ApiError } from '../http/api-error.ts';
import type { OpenApiDocument } from '../http/openapi/openapi.ts';
import type { Routes } from '../http/routes.ts';
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
export function referenceRoutes(app: Routes): void {
  const config = { auth: 'none', api: false, isPublicFile: true } as const;
  let library: GuideLibrary | undefined;
  const load = async () => {
    library ??= await GuideLibrary.open(root);
    return library;
  };
  const document = (): OpenApiDocument => JSON.parse(app.openApi.json());
  const keep = keptFiles();

  const sendGuide = async (request: FastifyRequest, reply: FastifyReply) => {
    const url = new URL(request.url, 'http://gateway').pathname.replace(/\/$/, '');
    const guides = await load();
    const guide = guides.find(url);
    const page = guide && (() => guidePage(guides, guide));
    if (page) return send(request, reply, keep(url, 'html', page));
    // An installation without documents.
    if (url === '/docs') return reply.redirect('/docs/reference', 302);
    const missing = async () => missingPage(guides);
    return send(request, reply.code(404), keep('missing', 'html', missing));
  };
  for (const path of ['/docs', '/docs/:name', '/docs/decisions/:name']) app.get(path, { config }, sendGuide);

  const serve = (path: string, type: keyof typeof types, make: () => Promise<string>) =>
    app.get(path, { config }, (request, reply) => send(request, reply, keep(path, type, make)));
  serve('/docs/reference', 'html', async () => {
    const { referencePage } = await import('./reference-page.ts');
    return referencePage(document(), (await load()).groups);
  });
  serve('/docs/try', 'html', async () => {
    const { tryPage } = await import('./try-page.ts');
    return tryPage((await load()).groups);
  });
  serve('/docs/search.json', 'json', async () => {
    const { searchIndex } = await import('./search-index.ts');
    return JSON.stringify(await searchIndex(await load(), document()));
  });
  serve('/docs/style.css', 'css', () => readFile(join(import.meta.dirname, 'style.css'), 'utf8'));
  for (const name of pageScriptNames()) serve(`/docs/page/${name}`, 'js', () => pageScript(name));

  // Read each time: images are large, and few readers come to them.
  app.get('/docs/images/:name', { config }, async (request: Named, reply) => {
    const { name } = request.params;
    const type = imageTypes[extname(name)];
    if (!type || !(await load()).images.has(name)) throw new ApiError('notFound');
    const body = await readFile(join(root, 'docs/images', name));
    return sendPageFile(request, reply.header('cache-control', 'max-age=3600'), new PageFile(type, body));
  });
}

/** Keeps what is made when it is first asked for: there are as many pages as there are documents. */
function keptFiles() {
  const kept = new Map<string, Promise<PageFile>>();
  return (key: string, type: keyof typeof types, make: () => Promise<string>): Promise<PageFile> => {
    const known = kept.get(key);
    if (known) return known;
    const made = make().then((text) => new PageFile(types[type], Buffer.from(text)));
    kept.set(key, made);
    made.catch(() => kept.delete(key));
    return made;
  };
}

async function send(request: FastifyRequest, reply: FastifyReply, file: Promise<PageFile>) {
  reply.headers({ 'cache-control': 'no-cache', 'content-security-policy': policy });
  return sendPageFile(request, reply, await file);
}
