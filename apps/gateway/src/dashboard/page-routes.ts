import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { listHostRows } from '../hosts/host-store.ts';
import { type PageFile, sendPageFile } from '../http/answers/page-file.ts';
import { ApiError } from '../http/api-error.ts';
import { sendError } from '../http/error-mapper.ts';
import type { Routes } from '../http/routes.ts';
import { loadPageFiles } from './page-files.ts';
import { contentSecurityPolicy } from './page-policy.ts';

const config = { auth: 'none', api: false, isPublicFile: true } as const;

/** Files whose names change with their content. */
const immutable = /^\/assets\//;

/** Paths that are never a page of the dashboard. */
const notPages = /^\/(api|user|operator|dashboard\/api|connect|health|metrics|internal)(\/|$)/;

/** Serves the dashboard's files at `/`, and its one page for every path that the router in the page knows. */
export function pageRoutes(app: Routes, gateway: Gateway, directory: string | undefined): void {
  const files = directory === undefined ? new Map<string, PageFile>() : loadPageFiles(directory);
  const index = files.get('/index.html');
  let hostUrls: string[] = [];

  for (const [path, file] of files) {
    if (file === index) continue;
    const caching = immutable.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache';
    app.get(path, { config }, (request, reply) =>
      sendPageFile(request, reply.header('cache-control', caching), file),
    );
  }
  if (index) app.get('/', { config }, (request, reply) => sendPage(request, reply, index));
  const icon = files.get('/favicon.svg');
  // Asked for by browsers on pages that name no icon, such as JSON.
  if (icon)
    app.get('/favicon.ico', { config }, (request, reply) =>
      sendPageFile(request, reply.header('cache-control', 'public, max-age=86400'), icon),
    );

  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const asksForPage = reads && /\btext\/html\b/.test(request.headers.accept ?? '');
    if (index && asksForPage && !notPages.test(path)) return sendPage(request, reply, index);
    return sendError(request, reply, new ApiError('notFound'));
  });

  async function sendPage(request: FastifyRequest, reply: FastifyReply, page: PageFile) {
    reply.header('cache-control', 'no-cache').header('content-security-policy', await policy());
    return sendPageFile(request, reply.code(200), page);
  }

  /** Builds the policy. During an outage of the store it has the hosts that were known before. */
  async function policy(): Promise<string> {
    try {
      hostUrls = (await listHostRows(gateway.db)).map((host) => host.public_url);
    } catch (error) {
      gateway.logger.warn({ err: error }, 'could not list hosts for the content security policy');
    }
    return contentSecurityPolicy(hostUrls);
  }
}
