import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { referencePage } from './reference-page.ts';

/** The page and its style sheet come from here; nothing else is asked for, and nothing runs in it. */
const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** `/docs`: the OpenAPI document as a page. */
export function referenceRoutes(app: FastifyInstance): void {
  const config = { open: true, api: false } as const;
  const style = readFileSync(join(import.meta.dirname, 'style.css'), 'utf8');
  let page: string | undefined;

  app.get('/docs', { config }, (_request, reply) => {
    page ??= referencePage(JSON.parse(app.openApi.json()));
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer')
      .send(page);
  });
  app.get('/docs/style.css', { config }, (_request, reply) =>
    reply.type('text/css; charset=utf-8').header('x-content-type-options', 'nosniff').send(style),
  );
}
