import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers everybody the same, so its own `cache-control` stands. */
    isPublicFile?: boolean;
    /** What the route's protocol prescribes. Caches ask again before each use, and the answer has nothing to compare. */
    cacheControl?: 'no-cache';
  }
}

/**
 * Forbids caches to keep any answer that is not the same for everybody. Keys, tokens and cookies are in headers, and a
 * cache finds an answer by its URL: it would give one account's answer to whoever asks next.
 */
export function preventCaching(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // A path that is no route is the dashboard's page, or an error.
    const { isPublicFile, cacheControl = 'no-store' } = request.routeOptions.config;
    const isPublic = request.is404 || isPublicFile === true;
    if (!isPublic || reply.statusCode >= 400) reply.header('cache-control', cacheControl);
    done(null, payload);
  });
}
