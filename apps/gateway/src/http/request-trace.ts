import { noTracer, type Span, type Tracer } from '@turnpike/process/trace';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The request as a step of a trace. */
    span: Span;
  }
  interface FastifyContextConfig {
    /** Traced, where traces are asked for. */
    traced?: boolean;
  }
}

const untraced = noTracer.begin('', undefined);

/** From the first byte to the last of a request; a trace that the caller began goes on. */
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
