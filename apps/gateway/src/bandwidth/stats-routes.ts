import { isProduct, type Product, type Unit, unitDigits } from '@turnpike/contract/bandwidth';
import { daysFrom, parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret } from '../accounts/secrets.ts';
import type { Gateway } from '../gateway.ts';
import { ApiError } from '../http/api-error.ts';
import type { AccountRow } from '../store/tables.ts';
import { admitStatsRequest, type BandwidthQuery, bytesByCountry, bytesByDay } from './bandwidth-store.ts';
import { inUnit } from './decimal.ts';

const requestsPerMinute = 60;
const summaryDays = 30;
const summaryUnit: Unit = 'Gb';
const units = Object.keys(unitDigits) as Unit[];
const tokenPattern = /^Bearer +(tpapi_[0-9a-f]{64}) *$/i;

interface ProductRoute {
  Params: { product: string };
  Querystring: Record<string, unknown>;
}

/** Interface B: an account's own bandwidth, read from the rollups. */
export function statsRoutes(app: FastifyInstance, { db, now }: Gateway): void {
  const config = { open: true, envelope: true };

  app.get<ProductRoute>('/api/users/stats/:product/summary', { config }, async (request, reply) => {
    const account = await admit(request, reply);
    const product = productOf(request);
    const [from, to] = [windowStart(now(), summaryDays), utcDay(now())];
    const days = await bytesByDay(db, { accountId: account.id, product, from, to });
    const total = [...days.values()].reduce((sum, bytes) => sum + bytes, 0n);
    return succeed(reply, {
      date: new Date(now()).toUTCString(),
      data: {
        product,
        unit: summaryUnit,
        from,
        to,
        window_days: summaryDays,
        total_value: exact(total, summaryUnit),
        today_value: exact(days.get(to) ?? 0n, summaryUnit),
      },
    });
  });

  app.get<ProductRoute>('/api/users/stats/:product/bandwidth', { config }, async (request, reply) => {
    const query = await seriesQuery(request, reply);
    const { product, unit, from, to } = query;
    const series = (await readSeries(query)).map(([day, bytes]) => ({
      traffic_date: day,
      total_value: exact(bytes, unit),
    }));
    return succeed(reply, { data: { product, unit, from, to, series } });
  });

  app.get<ProductRoute>('/api/users/stats/:product/bandwidth.csv', { config }, async (request, reply) => {
    const query = await seriesQuery(request, reply);
    const rows = (await readSeries(query)).map(([day, bytes]) => `${day},${inUnit(bytes, query.unit)}\n`);
    const name = `${query.product}-${query.from}-${query.to}-${query.unit}.csv`;
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(`traffic_date,total_value\n${rows.join('')}`);
  });

  app.get<ProductRoute>('/api/users/stats/:product/countries', { config }, async (request, reply) => {
    const { product, unit, from, to, accountId } = await seriesQuery(request, reply, ['residential']);
    const countries = (await bytesByCountry(db, { accountId, product, from, to })).map(
      ({ country, bytes }) => ({
        country,
        total_value: exact(bytes, unit),
      }),
    );
    return succeed(reply, { data: { product, unit, from, to, countries } });
  });

  app.get('/api/users/stats/*', { config }, async (request, reply) => {
    await admit(request, reply);
    throw new ApiError('notFound');
  });

  /** Every request with a token that is somebody's counts, whatever its answer. */
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
    request.learnt.accountId = admission.account.id;
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
    allowed?: readonly Product[],
  ): Promise<BandwidthQuery & { unit: Unit; days: number }> {
    const account = await admit(request, reply);
    const product = productOf(request);
    if (allowed && !allowed.includes(product)) {
      throw new ApiError('notFound', { message: `There are no countries for ${product}` });
    }
    const { from, to, unit = 'Gb' } = request.query;
    const range = parseRange(from, to, utcDay(now()));
    if (!range.ok) throw new ApiError('badRequest', { message: range.rule });
    const known = units.find((candidate) => candidate === unit);
    if (!known) throw new ApiError('badRequest', { message: `unit must be one of ${units.join(', ')}` });
    return { accountId: account.id, product, unit: known, from: range.from, to: range.to, days: range.days };
  }

  /** An element for every day, zeros included. */
  async function readSeries(query: BandwidthQuery & { days: number }): Promise<[string, bigint][]> {
    const counted = await bytesByDay(db, query);
    return daysFrom(query.from, query.days).map((day) => [day, counted.get(day) ?? 0n]);
  }
}

function productOf(request: FastifyRequest<ProductRoute>): Product {
  const { product } = request.params;
  if (!isProduct(product)) throw new ApiError('notFound', { message: 'Unknown product' });
  return product;
}

/** A number with all its digits, which a JavaScript number may not have room for. */
function exact(bytes: bigint, unit: Unit): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(inUnit(bytes, unit));
}

function succeed(reply: FastifyReply, answer: { date?: string; data: object }): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ status: 'SUCCESS', ...answer }));
}
