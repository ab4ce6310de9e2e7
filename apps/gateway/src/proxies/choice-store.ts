import { maxProxyKeys, type ProxyPolicy } from '@turnpike/contract/proxies';
import { sql, type Transaction } from 'kysely';
import { hashSecret } from '../secrets/hash-secret.ts';
import { isRunning } from '../store/session-states.ts';
import type { ProxyPoolRow, SavedProxyRow } from '../store/tables/proxy-tables.ts';
import type { Tables } from '../store/tables.ts';
import type { Figures } from './choose-member.ts';

/** What a choice reads and writes. All of it in a transaction that has locked the account's row. */

export function findPool(
  trx: Transaction<Tables>,
  accountId: string,
  name: string,
): Promise<ProxyPoolRow | undefined> {
  return trx
    .selectFrom('proxy_pools')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
}

export function membersOf(
  trx: Transaction<Tables>,
  poolId: string,
): Promise<(SavedProxyRow & { position: number })[]> {
  return trx
    .selectFrom('proxy_pool_members')
    .innerJoin('saved_proxies', 'saved_proxies.id', 'proxy_pool_members.proxy_id')
    .selectAll('saved_proxies')
    .select('proxy_pool_members.position')
    .where('proxy_pool_members.pool_id', '=', poolId)
    .execute();
}

const daysOfBytes = 30;

/** What the policy counts, by the id of the proxy. */
export async function figuresFor(
  trx: Transaction<Tables>,
  policy: ProxyPolicy,
  { account_id: accountId, id: poolId }: ProxyPoolRow,
  now: number,
): Promise<Figures> {
  switch (policy) {
    case 'least_sessions':
      return read(
        trx,
        sql`select proxy_id as id, count(*) as figure from sessions
          where account_id = ${accountId} and ${isRunning} and proxy_id is not null group by proxy_id`,
      );
    case 'least_bytes': {
      const since = new Date(now - daysOfBytes * 86_400_000).toISOString().slice(0, 10);
      return read(
        trx,
        sql`select id, sum(bytes) as figure from (
            select proxy_id as id, bytes_up + bytes_down as bytes from proxy_days
            where account_id = ${accountId} and day > ${since}
            union all
            select proxy_id as id, bytes_up + bytes_down as bytes from sessions
            where account_id = ${accountId} and ${isRunning} and proxy_id is not null
          ) as used group by id`,
      );
    }
    case 'sticky':
      return read(
        trx,
        sql`select proxy_id as id, count(*) as figure from proxy_keys
          where account_id = ${accountId} and scope = ${poolId} group by proxy_id`,
      );
    default:
      return new Map();
  }
}

async function read(trx: Transaction<Tables>, query: ReturnType<typeof sql>): Promise<Figures> {
  const { rows } = await (query as ReturnType<typeof sql<{ id: string; figure: number }>>).execute(trx);
  return new Map(rows.map(({ id, figure }) => [id, Number(figure)]));
}

export async function setTurn(trx: Transaction<Tables>, poolId: string, turn: number): Promise<void> {
  await trx.updateTable('proxy_pools').set({ turn }).where('id', '=', poolId).execute();
}

interface KeyOf {
  accountId: string;
  /** The id of a pool or of a saved proxy. */
  scope: string;
  key: string;
}

const hashOf = ({ accountId, key }: KeyOf): string => hashSecret(`${accountId} ${key}`);

export function findKey(
  trx: Transaction<Tables>,
  of: KeyOf,
): Promise<{ proxy_id: string; generation: number } | undefined> {
  return trx
    .selectFrom('proxy_keys')
    .select(['proxy_id', 'generation'])
    .where('account_id', '=', of.accountId)
    .where('scope', '=', of.scope)
    .where('key_hash', '=', hashOf(of))
    .executeTakeFirst();
}

/** Stores which proxy a key has, and in which generation. Beyond the limit the keys that rested longest are forgotten. */
export async function putKey(
  trx: Transaction<Tables>,
  of: KeyOf,
  value: { proxyId: string; generation: number; now: number },
): Promise<void> {
  const row = {
    account_id: of.accountId,
    scope: of.scope,
    key_hash: hashOf(of),
    proxy_id: value.proxyId,
    generation: value.generation,
    used_at: value.now,
  };
  const isNew = (await findKey(trx, of)) === undefined;
  await trx
    .insertInto('proxy_keys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['account_id', 'scope', 'key_hash']).doUpdateSet(row))
    .execute();
  if (isNew) await forgetKeys(trx, of.accountId);
}

async function forgetKeys(trx: Transaction<Tables>, accountId: string): Promise<void> {
  const { count } = await trx
    .selectFrom('proxy_keys')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  const surplus = Number(count) - maxProxyKeys;
  if (surplus <= 0) return;
  const oldest = await trx
    .selectFrom('proxy_keys')
    .select(['scope', 'key_hash'])
    .where('account_id', '=', accountId)
    .orderBy('used_at')
    .limit(surplus)
    .execute();
  for (const { scope, key_hash } of oldest)
    await trx
      .deleteFrom('proxy_keys')
      .where('account_id', '=', accountId)
      .where('scope', '=', scope)
      .where('key_hash', '=', key_hash)
      .execute();
}

/** Stores that a session uses a saved proxy. */
export async function addUse(
  trx: Transaction<Tables>,
  use: { sessionId: string; proxyId: string; accountId: string },
): Promise<void> {
  await trx
    .insertInto('session_proxies')
    .values({ session_id: use.sessionId, proxy_id: use.proxyId, account_id: use.accountId })
    .onConflict((conflict) => conflict.columns(['session_id', 'proxy_id']).doNothing())
    .execute();
}
