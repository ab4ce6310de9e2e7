import type { Routes } from '../routes.ts';
import { type ApiRoute, openApiDocument, undescribedRoutes } from './openapi.ts';

declare module 'fastify' {
  interface FastifyInstance {
    openApi: { json(): string; undescribed(): string[] };
  }
}

/** Serves the document of all routes that are registered after this call. */
export function openApiRoutes(app: Routes): void {
  const routes: ApiRoute[] = [];
  app.addHook('onRoute', ({ method, url, schema, config }) => {
    if (!config) return;
    // A HEAD is its GET without the body, and is not listed.
    const methods = [method].flat().filter((each) => each !== 'HEAD');
    for (const each of methods) routes.push({ method: each, url, schema, config });
  });
  let json: string | undefined;
  app.decorate('openApi', {
    json: () => {
      json ??= `${JSON.stringify(openApiDocument(routes), null, 2)}\n`;
      return json;
    },
    undescribed: () => undescribedRoutes(routes),
  });

  app.get('/openapi.json', { config: { auth: 'none', api: false } }, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(app.openApi.json()),
  );
}
