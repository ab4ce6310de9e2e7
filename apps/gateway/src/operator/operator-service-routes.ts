import {
  AuditQuery,
  IngestionQuery,
  type OperatorSession,
} from '@turnpike/contract/dashboard/operator-pages';
import { operatorRoutes } from '@turnpike/contract/dashboard/routes';
import { Type } from 'typebox';
import { emailsOf } from '../accounts/account-store.ts';
import type { Actor } from '../audit/actor.ts';
import { listAudit } from '../audit/audit-store.ts';
import { listBatches } from '../bandwidth/ingestion-store.ts';
import type { Gateway } from '../gateway.ts';
import { drainHost, removeHost, undrainHost } from '../hosts/hosts.ts';
import { ApiError } from '../http/api-error.ts';
import { iso, isoOrNull } from '../http/iso.ts';
import { parsePage } from '../http/page-query.ts';
import { parseWith } from '../http/parse-with.ts';
import { publicUrlOf } from '../http/public-url.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
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
const BatchFilters = Type.Omit(IngestionQuery, ['limit', 'cursor']);

/** Routes on hosts, sessions, bandwidth, the audit log, tokens and operators, for operators. */
export function operatorServiceRoutes(
  app: Routes,
  gateway: Gateway,
  { prefix, options }: OperatorAuth,
): void {
  const { db, now } = gateway;
  const { answer } = typedRoutes(app, operatorRoutes, prefix);

  answer('GET /overview', options(overviewApi), async () => {
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

  answer('GET /hosts', options(hostsApi), async () => ({
    hosts: await describeHosts(gateway),
  }));

  for (const [action, change] of [
    ['drain', drainHost],
    ['undrain', undrainHost],
    ['remove', (_db: Database, name: string, by: Actor) => removeHost(db, name, { by })],
  ] as const) {
    answer(`POST /hosts/:name/${action}`, options(hostActionApis[action]), async ({ params, actor }) => {
      await change(db, params.name.replaceAll('\0', ''), actor);
      return done;
    });
  }

  answer('GET /sessions', options(sessionsApi), async ({ query }) => {
    const filter = parseOperatorQuery(query);
    const { page, nextCursor } = await searchSessions(db, filter);
    const emails = await emailsOf(
      db,
      page.map((row) => row.account_id),
    );
    const present = (row: SessionRow) => presentOperatorSession(row, emails.get(row.account_id) ?? '', now());
    return { sessions: page.map(present), nextCursor };
  });

  answer('GET /sessions/:id', options(sessionApi), async ({ params }) => readSession(params.id));

  answer('POST /sessions/:id/close', options(closeSessionApi), async ({ params, actor }) => {
    await endSessionOf(gateway, await findSession(params.id), actor);
    return readSession(params.id);
  });

  answer('GET /products', options(productsApi), async () => {
    const [totals, meters] = await Promise.all([productTotals(db, now()), listMeters(db)]);
    return {
      products: totals,
      meters: meters.map(({ source, reported_at }) => ({ source, reportedAt: iso(reported_at) })),
    };
  });

  answer('GET /ingestion', options(ingestionApi), async ({ query }) => {
    const { limit, ...request } = parsePage(query);
    const refused = parseWith(BatchFilters, query).refused === 'true';
    const rows = await listBatches(db, { ...request, refused, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit, (row) => row);
    return { batches: page.map(presentBatch), nextCursor };
  });

  answer('GET /audit', options(auditApi), async ({ query }) => {
    const { limit, ...request } = { ...parseWith(AuditFilters, query), ...parsePage(query) };
    const rows = await listAudit(db, { ...request, limit: limit + 1 });
    const { page, nextCursor } = pageOf(rows, limit, (row) => row);
    return { entries: page.map(presentAudit), nextCursor };
  });

  answer('GET /tokens', options(tokensApi), async () => ({
    tokens: (await listOperatorTokens(db)).map(({ id, name, created_at }) => ({
      id,
      name,
      createdAt: iso(created_at),
    })),
  }));

  answer('POST /tokens', options(newTokenApi), async ({ actor }, _reply, readBody) =>
    createOperatorToken(db, readBody().name, actor),
  );

  answer('POST /tokens/:id/revoke', options(revokeTokenApi), async ({ params, actor }) => {
    await revokeOperatorToken(db, params.id.replaceAll('\0', ''), actor);
    return done;
  });

  answer('GET /operators', options(operatorsApi), async () => ({
    operators: (await listOperators(db)).map((user) => ({
      id: user.id,
      email: user.email,
      createdAt: iso(user.created_at),
      password: user.password_hash !== null,
      lastSignInAt: isoOrNull(user.last_sign_in_at),
    })),
  }));

  answer('POST /operators', options(newOperatorApi), async (request, _reply, readBody) => {
    const { email } = readBody();
    return inviteOperator(db, email, { publicUrl: publicUrlOf(gateway, request), by: request.actor, now });
  });

  answer('POST /operators/:id/remove', options(removeOperatorApi), async ({ params, actor }) => {
    await removeOperator(db, params.id, actor);
    return done;
  });

  async function findSession(id: string): Promise<SessionRow> {
    const session = await findSessionById(db, id.replaceAll('\0', ''));
    if (!session || session.state === 'STARTING') throw new ApiError('sessionNotFound');
    return session;
  }

  async function readSession(id: string): Promise<OperatorSession> {
    const row = await findSession(id);
    const emails = await emailsOf(db, [row.account_id]);
    return presentOperatorSession(row, emails.get(row.account_id) ?? '', now());
  }
}
