import { apiRoutes } from '@turnpike/contract/dashboard/routes';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import type { Context } from '../seams/context.ts';
import { poolUsageApi, proxyUsageApi } from './proxy-usage-api.ts';
import { readProxyUsage } from './read-proxy-usage.ts';

/** What a saved proxy, and what a pool, has carried by day. */
export function proxyUsageRoutes(app: Routes, context: Pick<Context, 'db' | 'now'>): void {
  const { answer } = typedRoutes(app, apiRoutes);
  const auth = 'key-or-cookie';

  answer(
    'GET /user/api/proxies/:name/usage',
    { config: { auth, api: proxyUsageApi } },
    async ({ account, params: { name }, query }) => ({
      days: await readProxyUsage(context, account.id, { kind: 'proxy', name }, query),
    }),
  );

  answer(
    'GET /user/api/proxy-pools/:name/usage',
    { config: { auth, api: poolUsageApi } },
    async ({ account, params: { name }, query }) => ({
      days: await readProxyUsage(context, account.id, { kind: 'pool', name }, query),
    }),
  );
}
