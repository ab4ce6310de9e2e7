import { noTracer, type Span, type Tracer } from '@turnpike/process/observation/trace';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's span in a trace. */
    span: Span;
  }
  interface FastifyContextConfig {
    /** Whether the route is traced, if traces are on. */
    traced?: boolean;
  }
}

const untraced = noTracer.begin('', undefined);

/** Traces requests from the first byte to the last, as part of the caller's trace if there is one. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', null as unknown as Span);
  app.addHook('onRequest', (request, reply, done) => {
    const { config, url } = request.routeOptions;
    request.span = untraced;
    if (config.traced && tracer !== noTracer) {
      const { traceparent } = request.headers;
      const span = tracer.begin(
        `${request.method} ${url}`,
        typeof traceparent === 'string' ? traceparent : undefined,
      );
      span.set({ 'http.request.method': request.method, 'http.route': url ?? '' });
      request.span = span;
      reply.raw.once('close', () => {
        span.set({ 'http.response.status_code': reply.statusCode });
        span.end();
      });
    }
    done();
  });
}
