import type { AccountStatus } from '@turnpike/contract/account';
import { unknownCountry } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { sessionIdPattern } from '@turnpike/contract/ids';
import type { EndReason, EndStatus, SessionStatus } from '@turnpike/contract/session';
import { type Insertable, sql, type Transaction } from 'kysely';
import { addBytes, type CountedBytes } from '../bandwidth/bandwidth-store.ts';
import { recordEnded, recordStarted, recordUsage } from '../events/session-events.ts';
import { lockAccount } from '../limits/account-lock-store.ts';
import { batched } from '../store/batched.ts';
import { containing } from '../store/containing.ts';
import type { Database } from '../store/database.ts';
import { jsonRows, jsonTable } from '../store/json-rows.ts';
import { preparedQuery } from '../store/prepared-query.ts';
import { isActive } from '../store/session-states.ts';
import type { SessionRow, SessionState, SessionTable, Tables } from '../store/tables.ts';
import { behind, type PageRequest, type TimeCursor, upTo } from '../store/time-page.ts';
import type { Claim } from './idempotency.ts';
import { passKey } from './idempotency-store.ts';
import { billedSeconds, endOfSession } from './session.ts';

export type StartingSession = Insertable<SessionTable> & { state: 'STARTING' };

/** What its owner is shown of a session. */
export type ShownSession = Pick<
  SessionRow,
  | 'id'
  | 'cdp_id'
  | 'viewer_token'
  | 'state'
  | 'created_at'
  | 'expires_at'
  | 'host_url'
  | 'viewer'
  | 'params'
  | 'metadata'
>;

type Asked = { keyHash: string; id: string; now: number };
type AskedRow = ShownSession & { question: string; account_id: string; status: AccountStatus };

const shownBy = (column: 'id' | 'cdp_id') =>
  preparedQuery<AskedRow>(
    (db, parameter) => sql`
      select c0 || c1 as question, a.id as account_id, a.status, s.id, s.cdp_id, s.viewer_token, s.state,
        s.created_at, s.expires_at, s.host_url, s.viewer, s.params, s.metadata
      from ${jsonTable(db, parameter(0), 2)} join accounts as a on a.key_hash = c0
      left join sessions as s on s.${sql.ref(column)} = c1 and s.account_id = a.id
        and s.state <> 'STARTING' and s.readable_until > cast(${parameter(1)} as bigint)`,
  );

/** Authentication and one's own session, by session id or CDP id, while it is readable, in one statement. */
const shownSession = (column: 'id' | 'cdp_id') => {
  const query = shownBy(column);
  return batched(async (db, asked: readonly Asked[]) => {
    const questions = new Map(asked.map(({ keyHash, id }) => [keyHash + id, [keyHash, id]]));
    const rows = await query(db, JSON.stringify([...questions.values()]), asked[0]?.now);
    const answers = new Map(
      rows.map((row) => {
        const { question, account_id: id, status } = row;
        return [question, { id, status, session: row.id === null ? undefined : row }];
      }),
    );
    return asked.map(({ keyHash, id }) => answers.get(keyHash + id));
  });
};
const shownSessionBy = { id: shownSession('id'), cdp_id: shownSession('cdp_id') };

export const findShownSession = (db: Database, asked: Asked) =>
  shownSessionBy[sessionIdPattern.test(asked.id) ? 'id' : 'cdp_id'](db, asked);

/** One's own session, by session id or CDP id, while it is readable. */
export function findSession(
  db: Database,
  { accountId, id, now }: { accountId: string; id: string; now: number },
): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where(sessionIdPattern.test(id) ? 'id' : 'cdp_id', '=', id)
    .where('account_id', '=', accountId)
    .where('state', '!=', 'STARTING')
    .where('readable_until', '>', now)
    .executeTakeFirst();
}

export function listActiveSessions(db: Database, accountId: string): Promise<SessionRow[]> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', '=', 'ACTIVE')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export interface SessionFilter extends PageRequest {
  /** Undefined: everybody's. */
  accountId?: string;
  status?: SessionStatus;
  host?: string;
  /** Created between these times. */
  from?: number;
  to?: number;
  /** In its id, its parameters, its metadata or its owner's e-mail address; a whole id is looked up. */
  text?: string;
  /** No further back than this. */
  until?: TimeCursor;
}

/** The permanent record, newest first, after the cursor. */
export function listSessions(db: Database, filter: SessionFilter): Promise<SessionRow[]> {
  const { status, host, text, until } = filter;
  let query = inRange(db, filter).selectAll('sessions');
  query = status ? query.where('state', '=', status) : query.where('state', '!=', 'STARTING');
  if (status === 'ACTIVE') query = query.where(isActive);
  if (host !== undefined) query = query.where('host', '=', host);
  if (text && sessionIdPattern.test(text)) query = query.where('sessions.id', '=', text);
  else if (text) {
    query = query
      .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
      .where(containing(['sessions.id', 'params', 'metadata', 'email'], text));
  }
  if (until) query = query.where(upTo('sessions.created_at', 'sessions.id', until));
  return query
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(filter.limit)
    .execute();
}

/** What an index leads to: of an account, between times, behind the cursor. */
function inRange(db: Database, { accountId, from, to, after }: SessionFilter) {
  let query = db.selectFrom('sessions');
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (from !== undefined) query = query.where('sessions.created_at', '>=', from);
  if (to !== undefined) query = query.where('sessions.created_at', '<=', to);
  if (after) query = query.where(behind('sessions.created_at', 'sessions.id', after));
  return query;
}

/** The last of so many sessions in range, whatever else is asked of them; undefined: there are fewer. */
export async function endOfSessionWindow(
  db: Database,
  filter: SessionFilter,
  count: number,
): Promise<TimeCursor | undefined> {
  const row = await inRange(db, filter)
    .select(['sessions.created_at as at', 'sessions.id'])
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .offset(count - 1)
    .limit(1)
    .executeTakeFirst();
  return row;
}

export type Activation = Pick<
  SessionRow,
  | 'created_at'
  | 'expires_at'
  | 'readable_until'
  | 'host'
  | 'host_boot'
  | 'host_url'
  | 'viewer'
  | 'params'
  | 'metadata'
>;

/** Undefined: the create took too long, and its row is gone. */
export function activateSession(
  db: Database,
  id: string,
  activation: Activation,
): Promise<SessionRow | undefined> {
  return db.transaction().execute(async (trx) => {
    const session = await trx
      .updateTable('sessions')
      .set({ ...activation, state: 'ACTIVE' })
      .where('id', '=', id)
      .where('state', '=', 'STARTING')
      .returningAll()
      .executeTakeFirst();
    if (session) await recordStarted(trx, session);
    return session;
  });
}

export type SessionIds = Pick<SessionRow, 'id' | 'cdp_id' | 'viewer_token'>;

/**
 * Gives a create under way other ids, for its next attempt, and its Idempotency-Key with it. False: it took too
 * long, and its row is gone. The row is the slot, so every attempt has the one slot, and the browser of an earlier
 * attempt is no session's.
 */
export function renameStarting(
  db: Database,
  id: string,
  ids: SessionIds,
  claim: Claim | undefined,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    // Nobody decides about the key meanwhile; see claimKey.
    if (claim) await lockAccount(trx, claim.accountId);
    const { numUpdatedRows } = await trx
      .updateTable('sessions')
      .set(ids)
      .where('id', '=', id)
      .where('state', '=', 'STARTING')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    if (claim) await passKey(trx, claim, id, ids.id);
    return true;
  });
}

/** Gives back the slot of a create that failed. */
export async function releaseSession(db: Database, id: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', id).where('state', '=', 'STARTING').execute();
}

export interface Ending extends SessionBytes {
  status: EndStatus;
  endedAt: number;
  reason: EndReason;
  signal?: string;
}

/**
 * The one way out of ACTIVE. The state change and its bill are one transaction that begins with a
 * conditional update, so of any number of endings the first counts and the others change nothing. Answers
 * what the session is now, and where this ending was the first, why it ended.
 */
export async function endSession(
  db: Database,
  session: SessionRow,
  ending: Ending,
): Promise<{ state: SessionState; endedFor?: EndReason }> {
  const endedAt = endOfSession(session, ending.status, ending.endedAt);
  const billed = billedSeconds(session.created_at, endedAt);
  return db.transaction().execute(async (trx) => {
    const ended = await trx
      .updateTable('sessions')
      .set((e) => ({
        state: ending.status,
        ended_at: endedAt,
        billed_seconds: billed,
        end_reason: e.fn.coalesce('end_reason', e.val(ending.reason)),
        end_signal: ending.signal ?? null,
      }))
      .where('id', '=', session.id)
      .where('state', '=', 'ACTIVE')
      .returningAll()
      .executeTakeFirst();
    if (!ended) return { state: await currentState(trx, session.id) };
    const bytes = await settleBytes(trx, ended, ending, endedAt);
    const account = await trx
      .updateTable('accounts')
      .set((e) => ({ browser_seconds: e('browser_seconds', '+', billed) }))
      .where('id', '=', session.account_id)
      .returning(['id', 'browser_seconds', 'browser_seconds_cap'])
      .executeTakeFirstOrThrow();
    await recordEnded(trx, { ...ended, ...bytes }, { status: ending.status, endedAt });
    await recordUsage(trx, account, billed, endedAt);
    await trx
      .insertInto('usage_days')
      .values({
        account_id: session.account_id,
        day: utcDay(endedAt),
        sessions: 1,
        browser_seconds: billed,
        ...bytes,
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'day']).doUpdateSet((e) => ({
          sessions: e('usage_days.sessions', '+', e.ref('excluded.sessions')),
          browser_seconds: e('usage_days.browser_seconds', '+', e.ref('excluded.browser_seconds')),
          bytes_up: e('usage_days.bytes_up', '+', e.ref('excluded.bytes_up')),
          bytes_down: e('usage_days.bytes_down', '+', e.ref('excluded.bytes_down')),
        })),
      )
      .execute();
    return { state: ending.status, endedFor: ended.end_reason ?? ending.reason };
  });
}

/** Why a session that runs is about to end; what ends it then says no other reason. */
export async function setEndReason(db: Database, id: string, reason: EndReason | null): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ end_reason: reason })
    .where('id', '=', id)
    .where('state', '=', 'ACTIVE')
    .execute();
}

export interface SessionBytes {
  bytesUp?: number;
  bytesDown?: number;
}

/** A session's counters with a report of them, and how many bytes of it are new. */
function withReport(session: SessionRow, { bytesUp = 0, bytesDown = 0 }: SessionBytes) {
  // Reports may overtake each other; counters only grow.
  const bytes = {
    bytes_up: Math.max(bytesUp, session.bytes_up),
    bytes_down: Math.max(bytesDown, session.bytes_down),
  };
  return { bytes, added: bytes.bytes_up - session.bytes_up + bytes.bytes_down - session.bytes_down };
}

/**
 * Takes a session's cumulative counters, under its row's lock, and counts what is new of them for the product
 * that the session is metered for, if any, on the day it is reported.
 */
async function settleBytes(
  trx: Transaction<Tables>,
  session: SessionRow,
  report: SessionBytes,
  at: number,
): Promise<{ bytes_up: number; bytes_down: number }> {
  const { bytes, added } = withReport(session, report);
  if (added === 0) return bytes;
  await trx.updateTable('sessions').set(bytes).where('id', '=', session.id).execute();
  await addBytes(trx, meteredBytes(session, added, at));
  return bytes;
}

function meteredBytes(session: SessionRow, added: number, at: number): CountedBytes[] {
  const { metered_product: product, metered_country, account_id: accountId } = session;
  if (!product) return [];
  const country = metered_country ?? unknownCountry;
  return [{ accountId, product, country, day: utcDay(at), bytes: BigInt(added) }];
}

export type RunningBytes = Required<SessionBytes> & { id: string };

/** Counters of sessions that run, in one statement. For those that are metered, see below. */
export async function recordSessionBytes(db: Database, reports: readonly RunningBytes[]): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map(({ id, bytesUp, bytesDown }) => [id, `${bytesUp}`, `${bytesDown}`]);
  await sql`
    update sessions set
      bytes_up = case when up > bytes_up then up else bytes_up end,
      bytes_down = case when down > bytes_down then down else bytes_down end
    from (
      select c0 as session_id, cast(c1 as bigint) as up, cast(c2 as bigint) as down from ${jsonRows(db, rows, 3)}
    ) as reports
    where id = session_id and state = 'ACTIVE' and (up > bytes_up or down > bytes_down)
  `.execute(db);
}

/** Counters of sessions that are metered: what is new is counted in the transaction that takes them. */
export async function recordMeteredBytes(
  db: Database,
  reports: readonly RunningBytes[],
  at: number,
): Promise<void> {
  if (reports.length === 0) return;
  const byId = new Map(reports.map((report) => [report.id, report]));
  await db.transaction().execute(async (trx) => {
    // A write first, for its locks.
    const sessions = await trx
      .updateTable('sessions')
      .set({ state: 'ACTIVE' })
      .where('id', 'in', [...byId.keys()].sort())
      .where('state', '=', 'ACTIVE')
      .returningAll()
      .execute();
    await recordSessionBytes(trx, reports);
    const counts = sessions.flatMap((session) =>
      meteredBytes(session, withReport(session, byId.get(session.id) ?? {}).added, at),
    );
    await addBytes(trx, counts);
  });
}

async function currentState(db: Database, id: string): Promise<SessionState> {
  const row = await db.selectFrom('sessions').select('state').where('id', '=', id).executeTakeFirstOrThrow();
  return row.state;
}

export function findSessionById(db: Database, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}
