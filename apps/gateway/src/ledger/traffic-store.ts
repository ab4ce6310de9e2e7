import type { TrafficByDay } from '@turnpike/contract/dashboard/account-pages';
import {
  addUse,
  type Destination,
  maxDestinations,
  type Refusals,
  type TrafficReport,
} from '@turnpike/contract/traffic';
import type { AccountTraffic } from '@turnpike/contract/traffic-answers';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import { type Traffic, trafficOf } from './traffic.ts';

/** Where the bytes of sessions went, while they are readable, and by day for good. */

export interface RunningTraffic {
  id: string;
  bytesUp: number;
  bytesDown: number;
  traffic?: TrafficReport;
}

/**
 * Stores the traffic of running sessions in one statement, in the transaction that stores their bytes and after it. A
 * report that a newer one has overtaken changes nothing, so that its sums are those of the session.
 */
export async function recordTraffic(
  trx: Transaction<Tables>,
  reports: readonly RunningTraffic[],
  at: number,
): Promise<void> {
  const rows = reports.flatMap(({ id, bytesUp, bytesDown, traffic }) =>
    traffic ? [[id, `${bytesUp}`, `${bytesDown}`, JSON.stringify(trafficOf(traffic, at))]] : [],
  );
  if (rows.length === 0) return;
  await sql`
    insert into session_traffic (session_id, readable_until, at, traffic)
    select id, readable_until, cast(${at} as bigint), c3
    from ${jsonRows(trx, rows, 4)} join sessions on id = c0
    where state = 'ACTIVE' and bytes_up = cast(c1 as bigint) and bytes_down = cast(c2 as bigint)
    on conflict (session_id) do update set at = excluded.at, traffic = excluded.traffic
  `.execute(trx);
}

export async function findTraffic(
  db: Database,
  sessionId: string,
): Promise<{ at: number; traffic: Traffic } | undefined> {
  const row = await db
    .selectFrom('session_traffic')
    .select(['at', 'traffic'])
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row && { at: row.at, traffic: readStoredJson(row.traffic) };
}

/** Stores the final traffic of a session, and adds it to the account's day, in the transaction that ends the session. */
export async function settleTraffic(
  trx: Transaction<Tables>,
  session: Pick<SessionRow, 'id' | 'account_id' | 'readable_until'>,
  traffic: Traffic,
  { at, day }: { at: number; day: string },
): Promise<void> {
  const final = { at, traffic: JSON.stringify(traffic) };
  await trx
    .insertInto('session_traffic')
    .values({ session_id: session.id, readable_until: session.readable_until, ...final })
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet(final))
    .execute();
  await addToDay(trx, { accountId: session.account_id, day }, traffic);
}

interface AccountDay {
  accountId: string;
  day: string;
}

/** Destinations of an account and day that are kept by name until all but the largest are added up. */
const maxKept = 2 * maxDestinations;

const total = (refused: Refusals): number => Object.values(refused).reduce((sum, count) => sum + count, 0);

/** The account's row is locked, so that sessions of one account come one after the other. */
async function addToDay(trx: Transaction<Tables>, key: AccountDay, traffic: Traffic): Promise<void> {
  const named = byName(traffic.destinations).map((use) => ({ ...use, bytesFromCache: 0 }));
  const other = { host: '', port: 0, ...traffic.other, bytesFromCache: traffic.bytesFromCache };
  const rows = [...named, other].map(
    ({ host, port, requests, tunnels, bytesUp, bytesDown, refused, bytesFromCache }) => [
      host,
      ...[port, requests, tunnels, bytesUp, bytesDown, total(refused), bytesFromCache].map(String),
    ],
  );
  const sums = ['requests', 'tunnels', 'bytes_up', 'bytes_down', 'refused', 'bytes_from_cache'];
  const added = sums.map(
    (name) => sql`${sql.ref(name)} = traffic_days.${sql.ref(name)} + excluded.${sql.ref(name)}`,
  );
  await sql`
    insert into traffic_days (account_id, day, host, port, ${sql.join(sums.map((name) => sql.ref(name)))})
    select ${key.accountId}, ${key.day}, c0, cast(c1 as integer),
      ${sql.join(sums.map((_, i) => sql`cast(${sql.ref(`c${i + 2}`)} as bigint)`))}
    from ${jsonRows(trx, rows, 8)} where true
    on conflict (account_id, day, host, port) do update set ${sql.join(added)}
  `.execute(trx);
  await addUpSmallest(trx, key);
}

/** Joins what went to one destination through several proxies: a day knows no proxies. */
function byName(destinations: readonly Destination[]): Destination[] {
  if (destinations.every(({ proxy }) => proxy === undefined)) return [...destinations];
  const names = new Map<string, Destination>();
  for (const { proxy: _, ...use } of destinations) {
    const name = `${use.host} ${use.port}`;
    const known = names.get(name);
    if (known) addUse(known, use);
    else names.set(name, { ...use, refused: { ...use.refused } });
  }
  return [...names.values()];
}

/** Keeps a day's largest destinations by name once it has too many. */
async function addUpSmallest(trx: Transaction<Tables>, { accountId, day }: AccountDay): Promise<void> {
  const { count } = await trx
    .selectFrom('traffic_days')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  if (Number(count) <= maxKept) return;
  const { rows } = await sql<DayRow>`
    delete from traffic_days where account_id = ${accountId} and day = ${day} and (host, port) in (
      select host, port from traffic_days where account_id = ${accountId} and day = ${day} and host <> ''
      order by bytes_up + bytes_down desc, host, port limit ${maxKept} offset ${maxDestinations}
    ) returning requests, tunnels, bytes_up, bytes_down, refused
  `.execute(trx);
  const sum = (name: keyof DayRow) => rows.reduce((all, row) => all + Number(row[name]), 0);
  await trx
    .updateTable('traffic_days')
    .set((e) => ({
      requests: e('requests', '+', sum('requests')),
      tunnels: e('tunnels', '+', sum('tunnels')),
      bytes_up: e('bytes_up', '+', sum('bytes_up')),
      bytes_down: e('bytes_down', '+', sum('bytes_down')),
      refused: e('refused', '+', sum('refused')),
    }))
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .where('host', '=', '')
    .where('port', '=', 0)
    .execute();
}

type DayRow = Record<'requests' | 'tunnels' | 'bytes_up' | 'bytes_down' | 'refused', number>;
type RankedRow = DayRow & { day: string; host: string; port: number } & Record<
    'all_requests' | 'all_tunnels' | 'all_up' | 'all_down' | 'all_refused' | 'from_cache',
    number | string
  >;

interface DayRange {
  accountId: string;
  from: string;
  to: string;
}

type DayUse = DayRow & { day: string; host: string; port: number; bytes_from_cache: number };

/**
 * Selects what an account's days have by destination. A gateway of a version without traffic ended sessions whose bytes
 * are only in the account's usage: they have no destination, so that each day adds up to its usage.
 */
function usesByDay({ accountId, from, to }: DayRange) {
  const missing = (name: 'bytes_up' | 'bytes_down') => {
    const used = sql`usage_days.${sql.ref(name)}`;
    const known = sql`coalesce(known.${sql.ref(name)}, 0)`;
    return sql`case when ${used} > ${known} then cast(${used} - ${known} as bigint) else 0 end`;
  };
  const inRange = sql`account_id = ${accountId} and day >= ${from} and day <= ${to}`;
  return sql<DayUse>`(
    select day, host, port, requests, tunnels, bytes_up, bytes_down, refused, bytes_from_cache
    from traffic_days where ${inRange}
    union all
    select usage_days.day, '', 0, 0, 0, ${missing('bytes_up')}, ${missing('bytes_down')}, 0, 0
    from (select day, bytes_up, bytes_down from usage_days where ${inRange}) as usage_days
    left join (
      select day, sum(bytes_up) as bytes_up, sum(bytes_down) as bytes_down
      from traffic_days where ${inRange} group by day
    ) as known on known.day = usage_days.day
    where usage_days.bytes_up > coalesce(known.bytes_up, 0)
      or usage_days.bytes_down > coalesce(known.bytes_down, 0)
  )`;
}

/** Lists an account's days, the latest first, each with its largest destinations and all others together. */
export async function trafficDays(
  db: Database,
  { limit, ...range }: DayRange & { limit: number },
): Promise<AccountTraffic['days']> {
  const { rows } = await sql<RankedRow>`
    select day, host, port, requests, tunnels, bytes_up, bytes_down, refused,
      all_requests, all_tunnels, all_up, all_down, all_refused, from_cache
    from (
      select uses.*,
        row_number() over (
          partition by day order by case when host = '' then 1 else 0 end, bytes_up + bytes_down desc, host, port
        ) as place,
        sum(requests) over (partition by day) as all_requests,
        sum(tunnels) over (partition by day) as all_tunnels,
        sum(bytes_up) over (partition by day) as all_up,
        sum(bytes_down) over (partition by day) as all_down,
        sum(refused) over (partition by day) as all_refused,
        sum(bytes_from_cache) over (partition by day) as from_cache
      from ${usesByDay(range)} as uses
    ) as ranked
    where place <= ${limit}
    order by day desc, place
  `.execute(db);
  return [...Map.groupBy(rows, ({ day }) => day)].map(([date, ranked]) => presentDay(date, ranked));
}

function presentDay(date: string, rows: readonly RankedRow[]): AccountTraffic['days'][number] {
  const named = rows.filter(({ host }) => host !== '');
  const destinations = named.map(({ host, port, requests, tunnels, bytes_up, bytes_down, refused }) => ({
    host,
    port,
    requests,
    tunnels,
    refused,
    bytesUp: bytes_up,
    bytesDown: bytes_down,
  }));
  const [first] = rows;
  // PostgreSQL sums bigints to a numeric, which arrives as text.
  const all = (name: keyof RankedRow) => Number(first?.[name] ?? 0);
  const rest = (sum: keyof RankedRow, name: keyof DayRow) =>
    all(sum) - named.reduce((shown, row) => shown + row[name], 0);
  return {
    date,
    bytesUp: all('all_up'),
    bytesDown: all('all_down'),
    bytesFromCache: all('from_cache'),
    refused: all('all_refused'),
    destinations,
    other: {
      requests: rest('all_requests', 'requests'),
      tunnels: rest('all_tunnels', 'tunnels'),
      bytesUp: rest('all_up', 'bytes_up'),
      bytesDown: rest('all_down', 'bytes_down'),
      refused: rest('all_refused', 'refused'),
    },
  };
}

type Sums = TrafficByDay['other'];

const subtracted = (sum: Sums, part: Sums): Sums => ({
  requests: sum.requests - part.requests,
  tunnels: sum.tunnels - part.tunnels,
  bytesUp: sum.bytesUp - part.bytesUp,
  bytesDown: sum.bytesDown - part.bytesDown,
  refused: sum.refused - part.refused,
});

/** Adds up a range of days: the largest destinations, all others together, and all. */
export async function largestDestinations(
  db: Database,
  { limit, ...range }: DayRange & { limit: number },
): Promise<Pick<TrafficByDay, 'totals' | 'destinations' | 'other'>> {
  const inRange = db
    .selectFrom(usesByDay(range).as('uses'))
    .select(({ fn }) => [
      fn.sum('requests').as('requests'),
      fn.sum('tunnels').as('tunnels'),
      fn.sum('bytes_up').as('bytesUp'),
      fn.sum('bytes_down').as('bytesDown'),
      fn.sum('refused').as('refused'),
    ]);
  const [all, rows] = await Promise.all([
    inRange.select(({ fn }) => fn.sum('bytes_from_cache').as('bytesFromCache')).executeTakeFirstOrThrow(),
    inRange
      .select(['host', 'port'])
      .where('host', '<>', '')
      .groupBy(['host', 'port'])
      .orderBy(sql`sum(bytes_up + bytes_down)`, 'desc')
      .orderBy('host')
      .orderBy('port')
      .limit(limit)
      .execute(),
  ]);
  const totals = { ...sumsOf(all), bytesFromCache: Number(all.bytesFromCache) };
  const destinations = rows.map(({ host, port, ...sums }) => ({ host, port, ...sumsOf(sums) }));
  return { totals, destinations, other: destinations.reduce(subtracted, sumsOf(all)) };
}

/** PostgreSQL sums bigints to a numeric, which arrives as text. The sum of no rows is null. */
const sumsOf = (row: { readonly [Name in keyof Sums]: unknown }): Sums => ({
  requests: Number(row.requests),
  tunnels: Number(row.tunnels),
  bytesUp: Number(row.bytesUp),
  bytesDown: Number(row.bytesDown),
  refused: Number(row.refused),
});

/** Deletes the traffic of sessions that are no longer readable. */
export async function pruneTraffic(db: Database, now: number): Promise<void> {
  await db.deleteFrom('session_traffic').where('readable_until', '<=', now).execute();
}
