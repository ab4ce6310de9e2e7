import type { ProxyDay } from '@turnpike/contract/proxies';
import type { ProxyUse } from '@turnpike/contract/traffic';
import { sql, type Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import { costOfUse, inCurrency } from './proxy-cost.ts';

/** What saved proxies have carried, by the day on which sessions ended. */

const labelOfSaved = 'name:';

/** The name of a saved proxy in its label. Undefined if it is not saved. */
export const savedName = (label: string): string | undefined =>
  label.startsWith(labelOfSaved) ? label.slice(labelOfSaved.length) : undefined;

const sums = [
  'sessions',
  'connections',
  'failures',
  'first_bytes',
  'first_byte_ms',
  'exit_changes',
  'bytes_up',
  'bytes_down',
  'cost_micros',
] as const;

/**
 * Adds what a session has seen of saved proxies to their day, in the transaction that ends the session and has locked
 * the account's row. A proxy that was renamed or deleted while the session ran has no day. A session whose proxies have
 * no name costs nothing here. `proxies`: undefined if its host is lost and has told nothing.
 */
export async function settleProxies(
  trx: Transaction<Tables>,
  session: Pick<SessionRow, 'id' | 'account_id' | 'pool_id' | 'proxy_id'>,
  proxies: readonly ProxyUse[] | undefined,
  day: string,
): Promise<void> {
  const uses = new Map(
    (proxies ?? []).flatMap((use) => {
      const name = savedName(use.proxy);
      return name === undefined ? [] : [[name, use] as const];
    }),
  );
  if (uses.size === 0 && session.proxy_id === null) return;
  // Only running sessions keep a proxy from being deleted.
  await trx.deleteFrom('session_proxies').where('session_id', '=', session.id).execute();
  if (uses.size === 0) return;
  const saved = await trx
    .selectFrom('saved_proxies as p')
    .leftJoin('proxy_pool_members as m', (join) =>
      join.onRef('m.proxy_id', '=', 'p.id').on('m.pool_id', '=', session.pool_id ?? ''),
    )
    .select(['p.id', 'p.name', 'm.pool_id'])
    .where('p.account_id', '=', session.account_id)
    .where('p.name', 'in', [...uses.keys()])
    .orderBy('p.id')
    .execute();
  const rows = saved.flatMap(({ id, name, pool_id }) => {
    const use = uses.get(name);
    return use ? [dayRow(session.account_id, id, pool_id ?? '', day, use)] : [];
  });
  if (rows.length > 0)
    await trx
      .insertInto('proxy_days')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'proxy_id', 'pool_id', 'day'])
          .doUpdateSet(
            Object.fromEntries(
              sums.map((name) => [
                name,
                sql<number>`proxy_days.${sql.ref(name)} + excluded.${sql.ref(name)}`,
              ]),
            ),
          ),
      )
      .execute();
}

function dayRow(accountId: string, proxyId: string, poolId: string, day: string, use: ProxyUse) {
  return {
    account_id: accountId,
    proxy_id: proxyId,
    pool_id: poolId,
    day,
    sessions: 1,
    connections: use.connections,
    failures: Object.values(use.failures).reduce((sum, count) => sum + count, 0),
    first_bytes: use.firstBytes,
    first_byte_ms: use.firstByteMs,
    exit_changes: use.exitChanges ?? 0,
    bytes_up: use.bytesUp,
    bytes_down: use.bytesDown,
    cost_micros: costOfUse(use) ?? 0,
  };
}

/** Whose days are asked for: a saved proxy's, or a pool's. */
export type ProxyDaysOf = { proxyId: string } | { poolId: string };

/** Lists the days of a proxy or pool that have something, the oldest first. */
export async function proxyDays(
  db: Database,
  { accountId, from, to, ...of }: { accountId: string; from: string; to: string } & ProxyDaysOf,
): Promise<ProxyDay[]> {
  const rows = await db
    .selectFrom('proxy_days')
    .select('day')
    .select((e) => sums.map((name) => e.fn.sum<number | string>(name).as(name)))
    .where('account_id', '=', accountId)
    .where('proxyId' in of ? 'proxy_id' : 'pool_id', '=', 'proxyId' in of ? of.proxyId : of.poolId)
    .where('day', '>=', from)
    .where('day', '<=', to)
    .groupBy('day')
    .orderBy('day')
    .execute();
  return rows.map(presentDay);
}

type DaySums = { day: string } & Record<(typeof sums)[number], number | string>;

/** PostgreSQL sums bigints to a numeric, which arrives as text. */
function presentDay({ day, ...row }: DaySums): ProxyDay {
  const figure = (name: (typeof sums)[number]): number => Number(row[name]);
  const [bytesUp, bytesDown] = [figure('bytes_up'), figure('bytes_down')];
  const [answers, cost] = [figure('first_bytes'), figure('cost_micros')];
  return {
    date: day,
    sessions: figure('sessions'),
    connections: figure('connections'),
    failures: figure('failures'),
    firstByteMs: answers === 0 ? null : Math.round(figure('first_byte_ms') / answers),
    exitChanges: figure('exit_changes'),
    bytesUp,
    bytesDown,
    // A day does not know which of its bytes had a price.
    cost: cost === 0 && bytesUp + bytesDown > 0 ? null : inCurrency(cost),
  };
}

/** The id of an account's saved proxy or pool. */
export async function findProxyOrPool(
  db: Database,
  table: 'saved_proxies' | 'proxy_pools',
  accountId: string,
  name: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.id;
}
