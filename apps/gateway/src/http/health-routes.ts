import { Health } from '@turnpike/contract/account';
import type { FastifyInstance } from 'fastify';
import type { Gateway } from '../gateway.ts';
import { pingStore } from '../metrics/gauge-store.ts';
import { healthApi, readyApi } from './health-api.ts';

/** A load balancer asks again soon, and takes a late answer for none. */
const storeTimeoutMs = 2000;

export function healthRoutes(app: FastifyInstance, gateway: Gateway): void {
  app.get(
    '/health',
    { config: { open: true, api: healthApi }, schema: { response: { 200: Health } } },
    async () => ({
      status: 'healthy',
      uptime: process.uptime(),
    }),
  );

  /** For load balancers: whether to send requests here. */
  app.get('/health/ready', { config: { open: true, api: readyApi } }, async (_request, reply) => {
    const status = gateway.isDraining
      ? 'draining'
      : (await storeAnswers(gateway))
        ? 'ready'
        : 'store unavailable';
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
}

async function storeAnswers({ db }: Gateway): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), storeTimeoutMs);
  const asked = pingStore(db).then(
    () => true,
    () => false,
  );
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
}
