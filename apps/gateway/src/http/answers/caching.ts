import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answers everybody the same, so its own `cache-control` stands. */
    isPublicFile?: boolean;
  }
}

/**
 * Forbids caches to keep any answer that is not the same for everybody. Keys, tokens and cookies are in headers, and a
 * cache finds an answer by its URL: it would give one account's answer to whoever asks next.
 */
export function preventCaching(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    // A path that is no route is the dashboard's page, or an error.
    const isPublic = request.is404 || request.routeOptions.config.isPublicFile === true;
    if (!isPublic || reply.statusCode >= 400) reply.header('cache-control', 'no-store');
    done(null, payload);
  });
}
