import { maxProxyPools, type ProxyPolicy, type ProxyState } from '@turnpike/contract/proxies';
import type { Transaction } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { Database } from '../store/database.ts';
import type { ProxyPoolRow } from '../store/tables/proxy-tables.ts';
import type { Tables } from '../store/tables.ts';
import { renameDefault } from './saved-proxy-store.ts';

export interface PoolMember {
  name: string;
  state: ProxyState;
}
export interface PoolWithMembers {
  pool: ProxyPoolRow;
  /** In their order. */
  members: PoolMember[];
}

/** All pools of an account, or the one with this name. */
export async function listPools(
  db: Database | Transaction<Tables>,
  accountId: string,
  name?: string,
): Promise<PoolWithMembers[]> {
  const pools = await db
    .selectFrom('proxy_pools')
    .selectAll()
    .where('account_id', '=', accountId)
    .$if(name !== undefined, (query) => query.where('name', '=', name ?? ''))
    .orderBy('name')
    .execute();
  if (pools.length === 0) return [];
  const members = await db
    .selectFrom('proxy_pool_members')
    .innerJoin('saved_proxies', 'saved_proxies.id', 'proxy_pool_members.proxy_id')
    .select(['proxy_pool_members.pool_id', 'saved_proxies.name', 'saved_proxies.state'])
    .where(
      'proxy_pool_members.pool_id',
      'in',
      pools.map(({ id }) => id),
    )
    .orderBy('proxy_pool_members.position')
    .execute();
  return pools.map((pool) => ({
    pool,
    members: members
      .filter(({ pool_id }) => pool_id === pool.id)
      .map((member) => ({ name: member.name, state: member.state })),
  }));
}

export type PoolRefusal =
  | { refusal: 'not-found' | 'name-taken' | 'too-many' }
  | { refusal: 'no-such-member'; name: string };

interface NewPool {
  id: string;
  accountId: string;
  name: string;
  policy: ProxyPolicy;
  members: readonly string[];
  now: number;
}

export function insertPool(db: Database, pool: NewPool): Promise<PoolWithMembers | PoolRefusal> {
  const { id, accountId, name, policy, now } = pool;
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const others = await trx
      .selectFrom('proxy_pools')
      .select('name')
      .where('account_id', '=', accountId)
      .execute();
    if (others.some((other) => other.name === name)) return { refusal: 'name-taken' };
    if (others.length >= maxProxyPools) return { refusal: 'too-many' };
    const members = await memberIds(trx, accountId, pool.members);
    if ('refusal' in members) return members;
    await trx
      .insertInto('proxy_pools')
      .values({ id, account_id: accountId, name, policy, created_at: now, updated_at: now })
      .execute();
    await writeMembers(trx, id, members.ids);
    return readPool(trx, accountId, name);
  });
}

interface PoolChange {
  name?: string | undefined;
  policy?: ProxyPolicy | undefined;
  members?: readonly string[] | undefined;
  now: number;
}

export function changePool(
  db: Database,
  accountId: string,
  name: string,
  { now, ...change }: PoolChange,
): Promise<PoolWithMembers | PoolRefusal> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const [found] = await listPools(trx, accountId, name);
    if (!found) return { refusal: 'not-found' };
    const { id } = found.pool;
    const next = change.name ?? name;
    if (next !== name) {
      if ((await listPools(trx, accountId, next)).length > 0) return { refusal: 'name-taken' };
      await renameDefault(trx, accountId, `pool:${name}`, `pool:${next}`);
    }
    if (change.members) {
      const members = await memberIds(trx, accountId, change.members);
      if ('refusal' in members) return members;
      await trx.deleteFrom('proxy_pool_members').where('pool_id', '=', id).execute();
      await writeMembers(trx, id, members.ids);
      // Keys of proxies that are no members any more get another.
      await trx
        .deleteFrom('proxy_keys')
        .where('account_id', '=', accountId)
        .where('scope', '=', id)
        .where('proxy_id', 'not in', members.ids)
        .execute();
    }
    await trx
      .updateTable('proxy_pools')
      .set({ name: next, policy: change.policy ?? found.pool.policy, updated_at: now })
      // Positions are new.
      .$if(change.members !== undefined, (query) => query.set({ turn: -1 }))
      .where('id', '=', id)
      .execute();
    return readPool(trx, accountId, next);
  });
}

/** Deletes a pool. Sessions that were taken from it go on. */
export function deletePool(
  db: Database,
  accountId: string,
  name: string,
): Promise<'not-found' | 'is-default' | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const [found] = await listPools(trx, accountId, name);
    if (!found) return 'not-found';
    const { id } = found.pool;
    const account = await trx
      .selectFrom('accounts')
      .select('default_proxy')
      .where('id', '=', accountId)
      .executeTakeFirst();
    if (account?.default_proxy === `pool:${name}`) return 'is-default';
    await trx.deleteFrom('proxy_keys').where('account_id', '=', accountId).where('scope', '=', id).execute();
    await trx.deleteFrom('proxy_pool_members').where('pool_id', '=', id).execute();
    await trx.deleteFrom('proxy_pools').where('id', '=', id).execute();
    return undefined;
  });
}

async function readPool(
  trx: Transaction<Tables>,
  accountId: string,
  name: string,
): Promise<PoolWithMembers | PoolRefusal> {
  const [pool] = await listPools(trx, accountId, name);
  return pool ?? { refusal: 'not-found' };
}

async function memberIds(
  trx: Transaction<Tables>,
  accountId: string,
  names: readonly string[],
): Promise<{ ids: string[] } | PoolRefusal> {
  const rows = await trx
    .selectFrom('saved_proxies')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('name', 'in', names)
    .execute();
  const ids = new Map(rows.map(({ id, name }) => [name, id]));
  const unknown = names.find((name) => !ids.has(name));
  if (unknown !== undefined) return { refusal: 'no-such-member', name: unknown };
  return { ids: names.map((name) => ids.get(name) as string) };
}

async function writeMembers(trx: Transaction<Tables>, poolId: string, ids: readonly string[]): Promise<void> {
  await trx
    .insertInto('proxy_pool_members')
    .values(ids.map((proxy_id, position) => ({ pool_id: poolId, proxy_id, position })))
    .execute();
}
