import { parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import { AccountTraffic, SessionTraffic } from '@turnpike/contract/traffic-answers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../http/api-error.ts';
import { type CsvValue, csvLine, sendCsv, wantsCsv } from '../http/csv.ts';
import { ownSession } from './caller-session.ts';
import { readTraffic } from './read-traffic.ts';
import type { SessionContext } from './session-context.ts';
import { presentTraffic } from './traffic.ts';
import { accountTrafficApi, defaultLimit, maxLimit, sessionTrafficApi } from './traffic-api.ts';
import {
  accountTrafficHeader,
  accountTrafficRows,
  sessionTrafficHeader,
  sessionTrafficRows,
} from './traffic-csv.ts';
import { trafficDays } from './traffic-store.ts';

const windowDays = 30;
/** Destinations in one answer, of all days together. */
const maxInAnswer = 36_600;

/** Where bytes went: of one session, and of an account by day. */
export function trafficRoutes(app: FastifyInstance, context: SessionContext): void {
  app.get<{ Params: { id: string } }>(
    '/api/browser/:id/traffic',
    { config: { api: sessionTrafficApi }, schema: { response: { 200: SessionTraffic } } },
    async (request, reply) => {
      const session = await ownSession(context, request, request.params.id);
      const traffic = presentTraffic(await readTraffic(context, session));
      return (
        asCsv(request, reply, `${session.id}-traffic.csv`, sessionTrafficHeader, () =>
          sessionTrafficRows(traffic),
        ) ?? traffic
      );
    },
  );

  app.get(
    '/user/api/traffic',
    { config: { api: accountTrafficApi }, schema: { response: { 200: AccountTraffic } } },
    async (request, reply) => {
      const { from, to, limit } = parseTrafficQuery(request.query, context.now());
      const accountId = request.account.id;
      const traffic = { from, to, days: await trafficDays(context.db, { accountId, from, to, limit }) };
      return (
        asCsv(request, reply, `traffic-${from}-${to}.csv`, accountTrafficHeader, () =>
          accountTrafficRows(traffic),
        ) ?? traffic
      );
    },
  );
}

/** Answers with a CSV file where the client asks for one. Undefined: it does not. */
function asCsv(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  header: readonly string[],
  rows: () => readonly (readonly CsvValue[])[],
): FastifyReply | undefined {
  reply.header('vary', 'accept');
  if (!wantsCsv(request.headers.accept)) return undefined;
  return sendCsv(reply, { name, text: [header, ...rows()].map(csvLine).join('') });
}

/** Parses `from`, `to` and `limit`. */
export function parseTrafficQuery(query: unknown, now: number): { from: string; to: string; limit: number } {
  const {
    from = windowStart(now, windowDays),
    to,
    limit = String(defaultLimit),
  } = query as Record<string, unknown>;
  const range = parseRange(from, to, utcDay(now));
  if (!range.ok) throw badRequest(range.rule);
  const count = Number(limit);
  if (typeof limit !== 'string' || !/^\d{1,4}$/.test(limit) || count < 1 || count > maxLimit) {
    throw badRequest(`limit must be an integer from 1 to ${maxLimit}`);
  }
  if (range.days * count > maxInAnswer) {
    const rule = `limit must be at most ${Math.floor(maxInAnswer / range.days)} for ${range.days} days`;
    throw badRequest(`${rule}. Ask for fewer days, or a smaller limit`);
  }
  return { from: range.from, to: range.to, limit: count };
}
