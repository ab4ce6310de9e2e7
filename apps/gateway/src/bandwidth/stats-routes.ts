import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendCsv } from '../http/answers/csv.ts';
import { ApiError } from '../http/api-error.ts';
import type { Routes } from '../http/routes.ts';
import type { Context } from '../seams/context.ts';
import { hashSecret } from '../secrets/hash-secret.ts';
import type { AccountRow } from '../store/tables.ts';
import { admitStatsRequest } from './bandwidth-store.ts';
import {
  parseProduct,
  parseSeriesQuery,
  readCountries,
  readCsv,
  readSeries,
  readSummary,
  requireCountries,
  type SeriesQuery,
} from './read-bandwidth.ts';
import { countriesApi, csvApi, seriesApi, summaryApi } from './stats-api.ts';

const requestsPerMinute = 60;
const statsPath = /^\/api\/users\/stats\/[^/]+\/(summary|bandwidth|bandwidth\.csv|countries)$/;
const tokenPattern = /^Bearer +(tpapi_[0-9a-f]{64}) *$/i;

interface ProductRoute {
  Params: { product: string };
  Querystring: Record<string, unknown>;
}

/** Interface B: an account's own bandwidth, read from the daily sums. */
export function statsRoutes(app: Routes, { db, now }: Pick<Context, 'db' | 'now'>): void {
  const config = { auth: 'token', envelope: true } as const;

  app.get<ProductRoute>(
    '/api/users/stats/:product/summary',
    { config: { ...config, api: summaryApi } },
    async (request, reply) => {
      const account = await admit(request, reply);
      const product = parseProduct(request.params.product);
      const data = await readSummary(db, { accountId: account.id, product }, now());
      return succeed(reply, { date: new Date(now()).toUTCString(), data });
    },
  );

  app.get<ProductRoute>(
    '/api/users/stats/:product/bandwidth',
    { config: { ...config, api: seriesApi } },
    async (request, reply) =>
      succeed(reply, { data: await readSeries(db, await seriesQuery(request, reply)) }),
  );

  app.get<ProductRoute>(
    '/api/users/stats/:product/bandwidth.csv',
    { config: { ...config, api: csvApi } },
    async (request, reply) => sendCsv(reply, await readCsv(db, await seriesQuery(request, reply))),
  );

  app.get<ProductRoute>(
    '/api/users/stats/:product/countries',
    { config: { ...config, api: countriesApi } },
    async (request, reply) =>
      succeed(reply, {
        data: await readCountries(db, await seriesQuery(request, reply, { countries: true })),
      }),
  );

  /** Other paths and methods need a token too, and are answered in the envelope. */
  for (const url of ['/api/users/stats', '/api/users/stats/*']) {
    app.all(url, { config: { ...config, api: false } }, async (request, reply) => {
      await admit(request, reply);
      const path = request.url.split('?', 1)[0] ?? '';
      if (!statsPath.test(path)) throw new ApiError('notFound');
      reply.header('allow', 'GET, HEAD');
      throw new ApiError('methodNotAllowed');
    });
  }

  /** Authenticates and counts a request. Every request with a valid token counts, whatever its answer is. */
  async function admit(request: FastifyRequest, reply: FastifyReply): Promise<AccountRow> {
    const { authorization } = request.headers;
    if (!authorization) throw new ApiError('missingToken');
    const token = tokenPattern.exec(authorization)?.[1];
    if (!token) throw new ApiError('invalidToken');
    const admission = await admitStatsRequest(db, {
      tokenHash: hashSecret(token),
      rate: requestsPerMinute,
      now: now(),
    });
    if (!admission) throw new ApiError('invalidToken');
    request.logFields.accountId = admission.account.id;
    if (admission.account.status !== 'active') throw new ApiError('accountSuspended');
    if (admission.retryAfterSeconds !== undefined) {
      reply.header('retry-after', String(admission.retryAfterSeconds));
      throw new ApiError('statsRateLimit');
    }
    return admission.account;
  }

  async function seriesQuery(
    request: FastifyRequest<ProductRoute>,
    reply: FastifyReply,
    { countries = false } = {},
  ): Promise<SeriesQuery> {
    const account = await admit(request, reply);
    const product = parseProduct(request.params.product);
    if (countries) requireCountries(product);
    return parseSeriesQuery(account.id, product, request.query, now());
  }
}

function succeed(reply: FastifyReply, answer: { date?: string; data: object }): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ status: 'SUCCESS', ...answer }));
}
