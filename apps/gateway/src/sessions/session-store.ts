import type { AccountStatus } from '@turnpike/contract/account';
import { sessionIdPattern } from '@turnpike/contract/ids';
import type { SessionStatus } from '@turnpike/contract/session';
import { sql } from 'kysely';
import { batched } from '../store/batched.ts';
import { containing } from '../store/containing.ts';
import type { Database } from '../store/database.ts';
import { jsonTable } from '../store/json-rows.ts';
import { preparedQuery } from '../store/prepared-query.ts';
import { isActive } from '../store/session-states.ts';
import type { SessionRow } from '../store/tables.ts';
import { behind, type PageRequest, type TimeCursor, upTo } from '../store/time-page.ts';

/** The columns of a session that its owner sees. */
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
  | 'protocols'
  | 'standby_since'
  | 'standby_permille'
  | 'params'
  | 'metadata'
  | 'name'
  | 'named'
  | 'tags'
>;

type Asked = { keyHash: string; id: string; now: number };
type AskedRow = ShownSession & { question: string; account_id: string; status: AccountStatus };

const shownBy = (column: 'id' | 'cdp_id') =>
  preparedQuery<AskedRow>(
    (db, parameter) => sql`
      select c0 || c1 as question, a.id as account_id, a.status, s.id, s.cdp_id, s.viewer_token, s.state,
        s.created_at, s.expires_at, s.host_url, s.viewer, s.protocols, s.standby_since, s.standby_permille,
        s.params, s.metadata, s.name, s.named, s.tags
      from ${jsonTable(db, parameter(0), 2)} join accounts as a on a.key_hash = c0
      left join sessions as s on s.${sql.ref(column)} = c1 and s.account_id = a.id
        and s.state <> 'STARTING' and s.readable_until > cast(${parameter(1)} as bigint)`,
  );

/** Authenticates and finds the caller's session, by session id or CDP id, while it is readable, in one statement. */
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

/** Finds an account's session by session id or CDP id, while it is readable. */
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
  /** Undefined means sessions of all accounts. */
  accountId?: string;
  status?: SessionStatus;
  host?: string;
  /** Created between these times. */
  from?: number;
  to?: number;
  name?: string;
  tag?: string;
  /** Text in the id, name, tags, parameters, metadata or the owner's e-mail address. A whole id is looked up. */
  text?: string;
  /** Only sessions as new as this one, or newer. */
  until?: TimeCursor;
}

/** Lists the permanent record, newest first, after the cursor. */
export function listSessions(db: Database, filter: SessionFilter): Promise<SessionRow[]> {
  const { status, host, name, tag, text, until } = filter;
  let query = inRange(db, filter).selectAll('sessions');
  query = status ? query.where('state', '=', status) : query.where('state', '!=', 'STARTING');
  if (status === 'ACTIVE') query = query.where(isActive);
  if (host !== undefined) query = query.where('host', '=', host);
  if (name !== undefined) query = query.where('sessions.name', '=', name);
  // As it stands in the JSON: a tag has no quote.
  if (tag !== undefined) query = query.where(containing(['tags'], JSON.stringify(tag)));
  if (text && sessionIdPattern.test(text)) query = query.where('sessions.id', '=', text);
  else if (text) {
    query = query
      .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
      .where(containing(['sessions.id', 'sessions.name', 'tags', 'params', 'metadata', 'email'], text));
  }
  if (until) query = query.where(upTo('sessions.created_at', 'sessions.id', until));
  return query
    .orderBy('sessions.created_at', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(filter.limit)
    .execute();
}

/** Selects by what is indexed: account, time range, cursor. */
function inRange(db: Database, { accountId, from, to, after }: SessionFilter) {
  let query = db.selectFrom('sessions');
  if (accountId !== undefined) query = query.where('account_id', '=', accountId);
  if (from !== undefined) query = query.where('sessions.created_at', '>=', from);
  if (to !== undefined) query = query.where('sessions.created_at', '<=', to);
  if (after) query = query.where(behind('sessions.created_at', 'sessions.id', after));
  return query;
}

/** Finds the last of the first `count` sessions in range, ignoring the other filters; undefined if there are fewer. */
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

/** Finds a session for whoever knows its secret. */
export function findSessionByCdpId(db: Database, cdpId: string): Promise<SessionRow | undefined> {
  return db
    .selectFrom('sessions')
    .selectAll()
    .where('cdp_id', '=', cdpId)
    .where('state', '!=', 'STARTING')
    .executeTakeFirst();
}

export function findSessionById(db: Database, id: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Changes what people call a session, whatever has become of it. Undefined: it is gone. */
export function changeLabels(
  db: Database,
  id: string,
  labels: Partial<Pick<SessionRow, 'name' | 'named' | 'tags'>>,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .set(labels)
    .where('id', '=', id)
    .where('state', '!=', 'STARTING')
    .returningAll()
    .executeTakeFirst();
}
