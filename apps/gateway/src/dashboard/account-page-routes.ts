import { products } from '@turnpike/contract/bandwidth';
import { parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import {
  Done,
  Keys,
  NewApiKey,
  ProxyCredentials,
  StatsToken,
  UsageByDay,
} from '@turnpike/contract/dashboard';
import { SavedProfileList } from '@turnpike/contract/saved-profile';
import type { FastifyInstance } from 'fastify';
import { describeAccount } from '../accounts/account.ts';
import { proxyCredentials, statsToken } from '../accounts/account-credentials.ts';
import { usageTotals } from '../accounts/account-store.ts';
import { regenerateKey } from '../accounts/regenerate-key.ts';
import { usageByDay } from '../accounts/usage-by-day.ts';
import { lastTimes } from '../audit/audit-store.ts';
import {
  parseProduct,
  parseSeriesQuery,
  readCountries,
  readCsv,
  readSeries,
  readSummary,
  requireCountries,
} from '../bandwidth/read-bandwidth.ts';
import { sendCsv } from '../bandwidth/send-csv.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import { isoOrNull } from '../http/iso.ts';
import { sendExactly } from '../http/send-exactly.ts';
import { countSlots } from '../limits/slot-store.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import { deleteOwnProfile, listOwnProfiles } from '../saved-profiles/caller-profiles.ts';
import { dashboardAuth } from '../users/dashboard-auth.ts';

const config = { open: true, namesFields: true, api: false } as const;
const windowDays = 30;

interface ProductRoute {
  Params: { product: string };
  Querystring: Record<string, unknown>;
}

/** An account's overview, usage, bandwidth, keys and saved profiles. */
export function accountPageRoutes(app: FastifyInstance, gateway: Gateway): void {
  const { db, now, sealer } = gateway;
  const { account: onRequest } = dashboardAuth(gateway);
  const answering = (schema: object) => ({ config, onRequest, schema: { response: { 200: schema } } });
  const guarded = { config, onRequest };

  app.get('/dashboard/api/overview', guarded, async ({ account }, reply) => {
    const [{ sessions }, slots, bandwidth] = await Promise.all([
      usageTotals(db, account.id),
      countSlots(db, account.id),
      summaries(account.id),
    ]);
    const concurrency = concurrencyRecord(account, slots);
    return sendExactly(reply, { ...describeAccount(account, sessions), concurrency, bandwidth });
  });

  app.get('/dashboard/api/usage', answering(UsageByDay), async ({ account, query }) => {
    const { from = windowStart(now(), windowDays), to } = query as Record<string, unknown>;
    const range = parseRange(from, to, utcDay(now()));
    if (!range.ok) throw new ApiError('badRequest', { message: range.rule });
    return usageByDay(db, account, range);
  });

  app.get('/dashboard/api/bandwidth', guarded, async ({ account }, reply) =>
    sendExactly(reply, { products: await summaries(account.id) }),
  );

  app.get<ProductRoute>('/dashboard/api/bandwidth/:product', guarded, async (request, reply) =>
    sendExactly(reply, await readSeries(db, seriesQuery(request))),
  );

  app.get<ProductRoute>('/dashboard/api/bandwidth/:product/csv', guarded, async (request, reply) =>
    sendCsv(reply, await readCsv(db, seriesQuery(request))),
  );

  app.get<ProductRoute>('/dashboard/api/bandwidth/:product/countries', guarded, async (request, reply) => {
    requireCountries(parseProduct(request.params.product));
    return sendExactly(reply, await readCountries(db, seriesQuery(request)));
  });

  app.get('/dashboard/api/keys', answering(Keys), async ({ account }) => {
    const times = await lastTimes(db, account.email, [
      'key.rotate',
      'stats-token.rotate',
      'proxy-password.rotate',
    ]);
    return {
      apiKey: { rotatedAt: isoOrNull(times.get('key.rotate')) },
      statsToken: {
        exists: account.stats_token_hash !== null,
        rotatedAt: isoOrNull(times.get('stats-token.rotate')),
      },
      proxy: {
        user: account.proxy_user,
        rotatedAt: isoOrNull(times.get('proxy-password.rotate')),
        url: gateway.proxyUrl() ?? null,
      },
    };
  });

  app.post('/dashboard/api/keys/api-key/rotate', answering(NewApiKey), async ({ account, actor }) => {
    const apiKey = await regenerateKey(db, account, actor);
    if (!apiKey) throw new ApiError('conflict', { message: 'The key was rotated by somebody else just now' });
    return { apiKey };
  });

  app.get('/dashboard/api/profiles', answering(SavedProfileList), async ({ account }) => ({
    profiles: await listOwnProfiles(db, account.id),
  }));

  app.post<{ Params: { name: string } }>(
    '/dashboard/api/profiles/:name/delete',
    answering(Done),
    async ({ account, params }) => {
      await deleteOwnProfile(db, account.id, params.name);
      return { done: true };
    },
  );

  for (const action of ['reveal', 'rotate'] as const) {
    const rotate = action === 'rotate';
    app.post(
      `/dashboard/api/keys/stats-token/${action}`,
      answering(StatsToken),
      async ({ account, actor: by }) => ({
        statsToken: await statsToken(db, sealer, account.email, { rotate, by }),
      }),
    );
    app.post(`/dashboard/api/keys/proxy/${action}`, answering(ProxyCredentials), ({ account, actor: by }) =>
      proxyCredentials(db, sealer, account.email, { rotate, by }),
    );
  }

  const summaries = (accountId: string) =>
    Promise.all(products.map((product) => readSummary(db, { accountId, product }, now())));

  const seriesQuery = ({ account, params, query }: Parameters<typeof onRequest>[0]) =>
    parseSeriesQuery(
      account.id,
      parseProduct((params as ProductRoute['Params']).product),
      query as ProductRoute['Querystring'],
      now(),
    );
}
