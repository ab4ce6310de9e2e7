import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What log lines of this request say besides its id. */
    logFields: { accountId?: string; sessionId?: string; operatorToken?: string; userId?: string };
  }
}

/** Logs and counts requests. The route's pattern stands for the URL: keys, proxies and CDP ids travel in URLs. */
export function logRequests(app: FastifyInstance, logger: Logger, metrics: GatewayMetrics): void {
  app.decorateRequest('logFields', null as unknown as FastifyRequest['logFields']);
  app.addHook('onRequest', (request, _reply, done) => {
    request.logFields = {};
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const route = request.routeOptions.url ?? '(none)';
    metrics.request(method, route, reply.statusCode, reply.elapsedTime / 1000);
    if (logger.isLevelEnabled('info')) {
      const ms = Math.round(reply.elapsedTime * 10) / 10;
      logger.info({ ...logContext(request), method, route, status: reply.statusCode, ms }, 'request');
    }
    done();
  });
}

export function logContext(request: FastifyRequest): Record<string, string> {
  return { requestId: request.id, ...request.logFields };
}
