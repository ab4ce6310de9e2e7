import { parseRange, utcDay, windowStart } from '@turnpike/contract/calendar';
import { AccountsQuery, AuditQuery } from '@turnpike/contract/dashboard/operator-pages';
import { operatorPageRoutes as routes } from '@turnpike/contract/dashboard/routes';
import { Type } from 'typebox';
import { emailsOf } from '../accounts/account-store.ts';
import { type AuditRow, listAudit } from '../audit/audit-store.ts';
import type { Gateway } from '../gateway.ts';
import { allPages, csvPageSize, sendCsvRows } from '../http/answers/csv.ts';
import { ApiError } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import { parseCursor } from '../http/page-query.ts';
import { parseWith } from '../http/parse-with.ts';
import type { Routes } from '../http/routes.ts';
import { typedRoutes } from '../http/typed-route.ts';
import { searchSessions } from '../sessions/search-sessions.ts';
import { sessionCsvHeader, sessionCsvRow } from '../sessions/session-csv.ts';
import { parseOperatorQuery } from '../sessions/session-query.ts';
import { findSessionById } from '../sessions/session-store.ts';
import type { AccountRow, SessionRow } from '../store/tables.ts';
import { pageOf } from '../store/time-page.ts';
import { presentTrafficPage } from '../traffic/present-traffic.ts';
import { readTraffic } from '../traffic/read-traffic.ts';
import { operatorPages } from './operator-auth.ts';
import { accountFacts, searchAccounts } from './overview-store.ts';
import { presentAccount } from './present-operator.ts';
import { serviceStatistics } from './service-statistics.ts';

const AccountFilters = Type.Omit(AccountsQuery, ['limit', 'cursor']);
const AuditFilters = Type.Omit(AuditQuery, ['limit', 'cursor']);
const pageSize = Number(csvPageSize);
const windowDays = 30;

const accountCsvHeader = [
  'account',
  'email',
  'name',
  'status',
  'created',
  'running',
  'concurrent_limit',
  'browser_seconds',
  'browser_seconds_cap',
  'creates_per_minute',
  'last_sign_in',
];
const auditCsvHeader = ['time', 'actor', 'action', 'target', 'details', 'ip_address'];

/** What an operator's pages have beyond the operator API: statistics, and exports as CSV. */
export function operatorPageRoutes(app: Routes, gateway: Gateway): void {
  const { db, now } = gateway;
  const guarded = operatorPages.options();
  const large = { config: { ...guarded.config, isLargeRead: true } };
  const { answer, send } = typedRoutes(app, routes, operatorPages.prefix);

  answer('GET /statistics', guarded, async ({ query }) => {
    const { from = windowStart(now(), windowDays), to } = query;
    const range = parseRange(from, to, utcDay(now()));
    if (!range.ok) throw new ApiError('badRequest', { message: range.rule });
    return serviceStatistics(db, range);
  });

  send('GET /accounts/csv', large, async ({ query }, reply) => {
    const filter = parseWith(AccountFilters, query);
    const pages = allPages(async (cursor) => {
      const rows = await searchAccounts(db, { ...filter, ...parseCursor(cursor), limit: pageSize + 1 });
      return pageOf(rows, pageSize, (row) => ({ at: row.created_at, id: row.id }));
    });
    return sendCsvRows(reply, 'accounts.csv', accountCsvHeader, accountRows(pages));
  });

  send('GET /sessions/csv', large, async ({ query }, reply) => {
    const filter = parseOperatorQuery({ ...query, limit: csvPageSize, cursor: undefined });
    const pages = allPages((cursor) => searchSessions(db, { ...filter, ...parseCursor(cursor) }));
    return sendCsvRows(reply, 'sessions.csv', ['email', 'host', ...sessionCsvHeader], sessionRows(pages));
  });

  answer('GET /sessions/:id/traffic', guarded, async ({ params }) => {
    const session = await findSessionById(db, params.id.replaceAll('\0', ''));
    if (!session || session.state === 'STARTING') throw new ApiError('sessionNotFound');
    return presentTrafficPage(await readTraffic(gateway, session), now());
  });

  send('GET /audit/csv', large, async ({ query }, reply) => {
    const filter = parseWith(AuditFilters, query);
    const pages = allPages(async (cursor) => {
      const rows = await listAudit(db, { ...filter, ...parseCursor(cursor), limit: pageSize + 1 });
      return pageOf(rows, pageSize, (row) => row);
    });
    return sendCsvRows(reply, 'audit.csv', auditCsvHeader, auditRows(pages));
  });

  async function* accountRows(pages: AsyncIterable<readonly AccountRow[]>) {
    for await (const page of pages) {
      const facts = await accountFacts(
        db,
        page.map(({ id }) => id),
        now(),
      );
      yield page.map((row) => {
        const { id, email, name, status, createdAt, usage, limits, signIn } = presentAccount(
          row,
          facts(row.id),
        );
        return [
          ...[id, email, name, status, createdAt, usage.running, limits.concurrent, usage.browserSeconds],
          ...[limits.browserSecondsCap, limits.createsPerMinute, signIn.lastAt],
        ];
      });
    }
  }

  async function* sessionRows(pages: AsyncIterable<readonly SessionRow[]>) {
    for await (const page of pages) {
      const emails = await emailsOf(
        db,
        page.map((row) => row.account_id),
      );
      yield page.map((row) => [emails.get(row.account_id) ?? null, row.host, ...sessionCsvRow(row, now())]);
    }
  }
}

async function* auditRows(pages: AsyncIterable<readonly AuditRow[]>) {
  for await (const page of pages) {
    yield page.map(({ at, actor, action, target, detail, address }) => [
      ...[iso(at), actor, action, target, detail === '{}' ? null : detail, address],
    ]);
  }
}
