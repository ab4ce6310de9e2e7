import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Fields of this request's log lines, besides its id. */
    logFields: { accountId?: string; sessionId?: string; operatorToken?: string; userId?: string };
    /**
     * Logged and counted in place of the answer's status. WebDriver fixes 500 for what its client did wrong, and the
     * operator's alerts are about the gateway's own failures.
     */
    ownStatus: number | undefined;
  }
}

/** Logs and counts requests. Logs the route's pattern, not the URL: keys, proxies and CDP ids are in URLs. */
export function logRequests(app: FastifyInstance, logger: Logger, metrics: GatewayMetrics): void {
  app.decorateRequest('logFields', null as unknown as FastifyRequest['logFields']);
  app.decorateRequest('ownStatus', undefined);
  app.addHook('onRequest', (request, _reply, done) => {
    request.logFields = {};
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method, ownStatus: status = reply.statusCode } = request;
    const route = request.routeOptions.url ?? '(none)';
    metrics.request(method, route, status, reply.elapsedTime / 1000);
    if (logger.isLevelEnabled('info')) {
      const ms = Math.round(reply.elapsedTime * 10) / 10;
      logger.info({ ...logContext(request), method, route, status, ms }, 'request');
    }
    done();
  });
}

export function logContext(request: FastifyRequest): Record<string, string> {
  return { requestId: request.id, ...request.logFields };
}
