import { Health } from '@turnpike/contract/account';
import type { Database } from '../store/database.ts';
import { pingStore } from '../store/store-health.ts';
import { healthApi, readyApi } from './health-api.ts';
import type { Routes } from './routes.ts';

/** A load balancer asks again soon, and counts a late answer as no answer. */
const storeTimeoutMs = 2000;

interface HealthContext {
  db: Database;
  isDraining: boolean;
}

export function healthRoutes(app: Routes, gateway: HealthContext): void {
  app.get(
    '/health',
    { config: { auth: 'none', api: healthApi }, schema: { response: { 200: Health } } },
    async () => ({
      status: 'healthy',
      uptime: process.uptime(),
    }),
  );

  /** Tells load balancers whether to send requests here. */
  app.get('/health/ready', { config: { auth: 'none', api: readyApi } }, async (_request, reply) => {
    const status = gateway.isDraining
      ? 'draining'
      : (await storeAnswers(gateway))
        ? 'ready'
        : 'store unavailable';
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
}

async function storeAnswers({ db }: HealthContext): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), storeTimeoutMs);
  const asked = pingStore(db).then(
    () => true,
    () => false,
  );
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
}
