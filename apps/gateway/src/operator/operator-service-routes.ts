import {
  AuditPage,
  AuditQuery,
  Done,
  Hosts,
  Ingestion,
  MadeLink,
  MadeOperatorToken,
  NewOperator,
  NewOperatorToken,
  OperatorOverview,
  OperatorSession,
  OperatorSessions,
  Operators,
  OperatorTokens,
  Products,
} from '@turnpike/contract/dashboard';
import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { emailsOf } from '../accounts/account-store.ts';
import type { Actor } from '../audit/actor.ts';
import { listAudit } from '../audit/audit-store.ts';
import { listBatches } from '../bandwidth/ingestion-store.ts';
import type { Gateway } from '../gateway.ts';
import { drainHost, removeHost, undrainHost } from '../hosts/hosts.ts';
import type { ApiDescription } from '../http/api-description.ts';
import { ApiError } from '../http/api-error.ts';
import { isoOrNull } from '../http/iso.ts';
import { parsePage } from '../http/page-query.ts';
import { parseBody, parseWith } from '../http/parse-with.ts';
import { publicUrlOf } from '../http/public-url.ts';
import { searchSessions } from '../sessions/search-sessions.ts';
import { parseOperatorQuery } from '../sessions/session-query.ts';
import { findSessionById } from '../sessions/session-store.ts';
import type { Database } from '../store/database.ts';
import type { SessionRow } from '../store/tables.ts';
import { pageOf } from '../store/time-page.ts';
import { inviteOperator } from '../users/links.ts';
import { listOperators } from '../users/user-store.ts';
import { endSessionOf } from './end-session.ts';
import type { OperatorAuth } from './operator-auth.ts';
import {
  auditApi,
  closeSessionApi,
  hostActionApis,
  hostsApi,
  ingestionApi,
  newOperatorApi,
  newTokenApi,
  operatorsApi,
  overviewApi,
  productsApi,
  removeOperatorApi,
  revokeTokenApi,
  sessionApi,
  sessionsApi,
  tokensApi,
} from './operator-service-api.ts';
import { listOperatorTokens } from './operator-token-store.ts';
import { createOperatorToken, revokeOperatorToken } from './operator-tokens.ts';
import { removeOperator } from './operators.ts';
import { countAccounts, countRunning, listMeters, productTotals } from './overview-store.ts';
import { presentAudit, presentBatch, presentOperatorSession } from './present-operator.ts';
import { describeHosts } from './service-hosts.ts';

const done = { done: true } as const;
const AuditFilters = Type.Omit(AuditQuery, ['limit', 'cursor']);
const BatchFilters = Type.Object({ refused: Type.Optional(Type.Enum(['true', 'false'])) });
type WithId = { Params: { id: string } };

/** What an operator sees and does of the service as a whole. */
export function operatorServiceRoutes(
  app: FastifyInstance,
  gateway: Gateway,
  { prefix, onRequest, describe }: OperatorAuth,
): void {
  const { db, now } = gateway;
  const answering = (schema: object, api: ApiDescription) => ({
    config: { open: true, namesFields: true, api: describe(api) },
    onRequest,
    schema: { response: { 200: schema } },
  });

  app.get(`${prefix}/overview`, answering(OperatorOverview, overviewApi), async () => {
    const [accounts, sessions, hosts] = await Promise.all([
      countAccounts(db),
      countRunning(db),
      describeHosts(gateway),
    ]);
    const count = (state: string) => hosts.filter((host) => host.state === state).length;
    const seats = hosts.flatMap((host) => (host.state === 'live' && host.seats !== null ? [host.seats] : []));
    return {
      accounts,
      sessions,
      hosts: { live: count('live'), draining: count('draining'), lost: count('lost') },
      seats: seats.length === 0 ? null : seats.reduce((sum, each) => sum + each, 0),
    };
  });

  app.get(`${prefix}/hosts`, answering(Hosts, hostsApi), async () => ({
    hosts: await describeHosts(gateway),
  }));

  const hostActions = {
    drain: drainHost,
    undrain: undrainHost,
    remove: (_db: Database, name: string, by: Actor) => removeHost(db, name, { by }),
  };
  for (const [action, change] of Object.entries(hostActions)) {
    app.post<{ Params: { name: string } }>(
      `${prefix}/hosts/:name/${action}`,
      answering(Done, hostActionApis[action as keyof typeof hostActions]),
      async ({ params, actor }) => {
        await change(db, params.name.replaceAll('\0', ''), actor);
        return done;
      },
    );
  }

  app.get(`${prefix}/sessions`, answering(OperatorSessions, sessionsApi), async ({ query }) => {
    const filter = parseOperatorQuery(query);
    const { page, nextCursor } = await searchSessions(db, filter);
    return { sessions: await present(page), nextCursor };
  });

  app.get<WithId>(`${prefix}/sessions/:id`, answering(OperatorSession, sessionApi), async ({ params }) => {
    const [session] = await present([await findSession(params.id)]);
    return session;
  });

  app.post<WithId>(
    `${prefix}/sessions/:id/close`,
    answering(OperatorSession, closeSessionApi),
    async (request) => {
      await endSessionOf(gateway, await findSession(request.params.id), request.actor);
      const [session] = await present([await findSession(request.params.id)]);
      return session;
    },
  );

  app.get(`${prefix}/products`, answering(Products, productsApi), async () => {
    const [totals, meters] = await Promise.all([productTotals(db, now()), listMeters(db)]);
    return {
      products: totals,
      meters: meters.map(({ source, reported_at }) => ({ source, reportedAt: isoOrNull(reported_at) })),
    };
  });

  app.get(`${prefix}/ingestion`, answering(Ingestion, ingestionApi), async ({ query }) => {
    const { limit, ...request } = parsePage(query);
    const refused = parseWith(BatchFilters, query).refused === 'true';
    const rows = await listBatches(db, { ...request, refused, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit, (row) => row);
    return { batches: page.map(presentBatch), nextCursor };
  });

  app.get(`${prefix}/audit`, answering(AuditPage, auditApi), async ({ query }) => {
    const { limit, ...request } = { ...parsePage(query), ...parseWith(AuditFilters, query) };
    const rows = await listAudit(db, { ...request, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit, (row) => row);
    return { entries: page.map(presentAudit), nextCursor };
  });

  app.get(`${prefix}/tokens`, answering(OperatorTokens, tokensApi), async () => ({
    tokens: (await listOperatorTokens(db)).map(({ id, name, created_at }) => ({
      id,
      name,
      createdAt: isoOrNull(created_at),
    })),
  }));

  app.post(`${prefix}/tokens`, answering(MadeOperatorToken, newTokenApi), async (request) =>
    createOperatorToken(db, parseBody(request, NewOperatorToken).name, request.actor),
  );

  app.post<WithId>(
    `${prefix}/tokens/:id/revoke`,
    answering(Done, revokeTokenApi),
    async ({ params, actor }) => {
      await revokeOperatorToken(db, params.id.replaceAll('\0', ''), actor);
      return done;
    },
  );

  app.get(`${prefix}/operators`, answering(Operators, operatorsApi), async () => ({
    operators: (await listOperators(db)).map((user) => ({
      id: user.id,
      email: user.email,
      createdAt: isoOrNull(user.created_at),
      password: user.password_hash !== null,
      lastSignInAt: isoOrNull(user.last_sign_in_at),
    })),
  }));

  app.post(`${prefix}/operators`, answering(MadeLink, newOperatorApi), async (request) => {
    const { email } = parseBody(request, NewOperator);
    return inviteOperator(db, email, { publicUrl: publicUrlOf(gateway, request), by: request.actor, now });
  });

  app.post<WithId>(
    `${prefix}/operators/:id/remove`,
    answering(Done, removeOperatorApi),
    async ({ params, actor }) => {
      await removeOperator(db, params.id, actor);
      return done;
    },
  );

  async function findSession(id: string): Promise<SessionRow> {
    const session = await findSessionById(db, id.replaceAll('\0', ''));
    if (!session || session.state === 'STARTING') throw new ApiError('sessionNotFound');
    return session;
  }

  async function present(rows: readonly SessionRow[]) {
    const emails = await emailsOf(
      db,
      rows.map((row) => row.account_id),
    );
    return rows.map((row) => presentOperatorSession(row, emails.get(row.account_id) ?? '', now()));
  }
}
