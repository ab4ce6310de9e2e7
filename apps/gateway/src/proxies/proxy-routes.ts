import { apiRoutes } from '@turnpike/contract/dashboard/routes';
import { savedNamePattern } from '@turnpike/contract/ids';
import { FairSlots } from '../http/answers/fair-slots.ts';
import { ApiError } from '../http/api-error.ts';
import { disconnectSignal } from '../http/client-disconnect.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { changeOwnPool, deleteOwnPool, findOwnPool, listOwnPools, savePool } from './caller-pools.ts';
import { changeOwn, deleteOwn, findOwn, listOwn, saveProxy, setOwnDefault } from './caller-proxies.ts';
import { checkOwn } from './check-proxy.ts';
import * as api from './proxy-api.ts';
import type { ProxyContext } from './proxy-context.ts';

const auth = 'key-or-cookie';

/** Each check waits for somebody else's proxy. */
const checkSlots = {
  atOnce: 16,
  perOwner: 4,
  waitingPerOwner: 16,
  maxWaitMs: 20_000,
  tooMany: 'busy',
} as const;

/** An account's saved proxies, its pools and its default. */
export function proxyRoutes(app: Routes, context: ProxyContext): void {
  const { answer } = typedRoutes(app, apiRoutes);

  answer('GET /user/api/proxies', { config: { auth, api: api.proxiesApi } }, async ({ account }) => ({
    proxies: await listOwn(context, account),
  }));
  answer(
    'POST /user/api/proxies',
    { config: { auth, api: api.saveProxyApi } },
    async ({ account }, _reply, readBody) => saveProxy(context, account, readBody()),
  );
  answer(
    'GET /user/api/proxies/:name',
    { config: { auth, api: api.proxyApi } },
    async ({ account, params }) => findOwn(context, account, nameIn(params)),
  );
  answer(
    'PATCH /user/api/proxies/:name',
    { config: { auth, api: api.changeProxyApi } },
    async ({ account, params }, _reply, readBody) => changeOwn(context, account, nameIn(params), readBody()),
  );
  answer(
    'DELETE /user/api/proxies/:name',
    { config: { auth, api: api.deleteProxyApi } },
    async ({ account, params }) => {
      await deleteOwn(context, account.id, nameIn(params));
      return { name: params.name };
    },
  );

  const slots = new FairSlots(checkSlots);
  answer(
    'POST /user/api/proxies/:name/check',
    { config: { auth, api: api.checkProxyApi } },
    async ({ account, params }, reply, readBody) => {
      const asked = readBody();
      const signal = disconnectSignal(reply);
      using _slot = await slots.take(account.id, signal);
      return checkOwn(context, account.id, nameIn(params), asked, signal);
    },
  );

  answer('GET /user/api/proxy-pools', { config: { auth, api: api.poolsApi } }, async ({ account }) => ({
    pools: await listOwnPools(context, account),
  }));
  answer(
    'POST /user/api/proxy-pools',
    { config: { auth, api: api.savePoolApi } },
    async ({ account }, _reply, readBody) => savePool(context, account, readBody()),
  );
  answer(
    'GET /user/api/proxy-pools/:name',
    { config: { auth, api: api.poolApi } },
    async ({ account, params }) => findOwnPool(context, account, nameIn(params)),
  );
  answer(
    'PATCH /user/api/proxy-pools/:name',
    { config: { auth, api: api.changePoolApi } },
    async ({ account, params }, _reply, readBody) =>
      changeOwnPool(context, account, nameIn(params), readBody()),
  );
  answer(
    'DELETE /user/api/proxy-pools/:name',
    { config: { auth, api: api.deletePoolApi } },
    async ({ account, params }) => {
      await deleteOwnPool(context, account.id, nameIn(params));
      return { name: params.name };
    },
  );

  answer(
    'GET /user/api/default-proxy',
    { config: { auth, api: api.defaultProxyApi } },
    async ({ account }) => ({
      proxy: account.default_proxy,
    }),
  );
  answer(
    'PUT /user/api/default-proxy',
    { config: { auth, api: api.putDefaultProxyApi } },
    async ({ account }, _reply, readBody) => {
      const { proxy } = readBody();
      await setOwnDefault(context, account.id, proxy);
      return { proxy };
    },
  );
}

/** What cannot be a name names nothing. */
function nameIn({ name }: { name: string }): string {
  if (!savedNamePattern.test(name)) throw new ApiError('notFound');
  return name;
}
