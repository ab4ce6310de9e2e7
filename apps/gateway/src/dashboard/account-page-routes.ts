import { products } from '@turnpike/contract/bandwidth';
import { parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import { accountPageRoutes as routes } from '@turnpike/contract/dashboard/routes';
import { describeAccount } from '../accounts/account.ts';
import { proxyCredentials, statsToken } from '../accounts/account-credentials.ts';
import { usageTotals } from '../accounts/account-store.ts';
import { usageByDay } from '../accounts/usage-by-day.ts';
import { readAlerts, saveAlerts } from '../alerts/account-alerts.ts';
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
import type { Gateway } from '../gateway.ts';
import { sendCsv } from '../http/answers/csv.ts';
import { ApiError } from '../http/api-error.ts';
import { isoOrNull } from '../http/iso.ts';
import { accountPage, type Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { countSlots } from '../limits/slot-store.ts';
import { concurrencyRecord } from '../limits/slots.ts';
import { presentRow } from '../sessions/present-session-page.ts';
import { listActiveSessions } from '../sessions/session-store.ts';
import type { AccountRow } from '../store/tables.ts';
import { proxySums } from './proxy-sums-store.ts';

const windowDays = 30;

interface ProductRequest {
  account: AccountRow;
  params: { product: string };
  query: Record<string, unknown>;
}

/** An account's overview, running sessions, usage, bandwidth and keys. */
export function accountPageRoutes(app: Routes, gateway: Gateway): void {
  const { db, now, sealer } = gateway;
  const { answer, answerExactly, send } = typedRoutes(app, routes, '/dashboard/api');

  answerExactly('GET /overview', accountPage, async ({ account }) => {
    const [{ sessions }, slots, bandwidth] = await Promise.all([
      usageTotals(db, account.id),
      countSlots(db, account.id),
      summaries(account.id),
    ]);
    const concurrency = concurrencyRecord(account, slots);
    return { ...describeAccount(account, sessions), concurrency, bandwidth };
  });

  answer('GET /running', accountPage, async ({ account }) => {
    const [sessions, slots] = await Promise.all([
      listActiveSessions(db, account.id),
      countSlots(db, account.id),
    ]);
    return {
      concurrency: concurrencyRecord(account, slots),
      sessions: sessions.map((row) => presentRow(row, now())),
    };
  });

  answer('GET /usage', accountPage, async ({ account, query }) => {
    const { from = windowStart(now(), windowDays), to } = query;
    const range = parseRange(from, to, utcDay(now()));
    if (!range.ok) throw new ApiError('badRequest', { message: range.rule });
    return usageByDay(db, account, range);
  });

  answer('GET /proxies/sums', accountPage, async ({ account }) => ({
    proxies: await proxySums(db, account.id, windowStart(now(), windowDays)),
  }));

  answer('GET /alerts', accountPage, async ({ account }) => readAlerts(db, account.id, gateway.sendsMail));

  answer('POST /alerts', accountPage, async ({ account }, _reply, readBody) => {
    await saveAlerts(db, account.id, readBody());
    return readAlerts(db, account.id, gateway.sendsMail);
  });

  answerExactly('GET /bandwidth', accountPage, async ({ account }) => ({
    products: await summaries(account.id),
  }));

  answerExactly('GET /bandwidth/:product', accountPage, async (request) =>
    readSeries(db, seriesQuery(request)),
  );

  send('GET /bandwidth/:product/csv', accountPage, async (request, reply) =>
    sendCsv(reply, await readCsv(db, seriesQuery(request))),
  );

  answerExactly('GET /bandwidth/:product/countries', accountPage, async (request) => {
    requireCountries(parseProduct(request.params.product));
    return readCountries(db, seriesQuery(request));
  });

  answer('GET /keys', accountPage, async ({ account }) => {
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

  for (const action of ['reveal', 'rotate'] as const) {
    const rotate = action === 'rotate';
    answer(`POST /keys/stats-token/${action}`, accountPage, async ({ account, actor: by }) => ({
      statsToken: await statsToken(db, sealer, account.email, { rotate, by }),
    }));
    answer(`POST /keys/proxy/${action}`, accountPage, async ({ account, actor: by }) =>
      proxyCredentials(db, sealer, account.email, { rotate, by }),
    );
  }

  const summaries = (accountId: string) =>
    Promise.all(products.map((product) => readSummary(db, { accountId, product }, now())));

  const seriesQuery = ({ account, params, query }: ProductRequest) =>
    parseSeriesQuery(account.id, parseProduct(params.product), query, now());
}
