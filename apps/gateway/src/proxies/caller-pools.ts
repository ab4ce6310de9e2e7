import {
  maxProxyPools,
  type NewProxyPool,
  type ProxyPool,
  type ProxyPoolChange,
} from '@turnpike/contract/proxies';
import { ApiError, badRequest } from '../http/api-error.ts';
import { iso } from '../http/iso.ts';
import { newPoolId } from '../secrets/new-ids.ts';
import type { AccountRow } from '../store/tables.ts';
import { nameTaken } from './caller-proxies.ts';
import {
  changePool,
  deletePool,
  insertPool,
  listPools,
  type PoolRefusal,
  type PoolWithMembers,
} from './pool-store.ts';
import type { ProxyContext } from './proxy-context.ts';

/** An account's operations on its pools, for the API and the dashboard. */

type Owner = Pick<AccountRow, 'id' | 'default_proxy'>;

export async function listOwnPools({ db }: ProxyContext, account: Owner): Promise<ProxyPool[]> {
  return (await listPools(db, account.id)).map((pool) => presentPool(pool, account));
}

export async function findOwnPool({ db }: ProxyContext, account: Owner, name: string): Promise<ProxyPool> {
  const [pool] = await listPools(db, account.id, name);
  if (!pool) throw new ApiError('notFound');
  return presentPool(pool, account);
}

export async function savePool(
  { db, now }: ProxyContext,
  account: Owner,
  pool: NewProxyPool,
): Promise<ProxyPool> {
  const saved = await insertPool(db, { id: newPoolId(), accountId: account.id, ...pool, now: now() });
  return presentPool(orRefuse(saved, pool.name), account);
}

export async function changeOwnPool(
  { db, now }: ProxyContext,
  account: Owner,
  name: string,
  change: ProxyPoolChange,
): Promise<ProxyPool> {
  const changed = orRefuse(
    await changePool(db, account.id, name, { ...change, now: now() }),
    change.name ?? name,
  );
  const renamed =
    account.default_proxy === `pool:${name}` ? `pool:${changed.pool.name}` : account.default_proxy;
  return presentPool(changed, { ...account, default_proxy: renamed });
}

export async function deleteOwnPool({ db }: ProxyContext, accountId: string, name: string): Promise<void> {
  const refusal = await deletePool(db, accountId, name);
  if (refusal === 'not-found') throw new ApiError('notFound');
  if (refusal === 'is-default')
    throw new ApiError('proxyInUse', {
      detail: 'It is the default proxy of the account.',
      members: { sessions: [], pools: [], isDefault: true },
    });
}

function orRefuse(result: PoolWithMembers | PoolRefusal, name: string): PoolWithMembers {
  if (!('refusal' in result)) return result;
  switch (result.refusal) {
    case 'not-found':
      throw new ApiError('notFound');
    case 'name-taken':
      throw nameTaken('pool', name);
    case 'too-many':
      throw new ApiError('tooManyProxies', { detail: `An account has up to ${maxProxyPools} pools.` });
    case 'no-such-member':
      throw badRequest(`members must be saved proxies; ${result.name} is not one`, { field: 'members' });
  }
}

function presentPool({ pool, members }: PoolWithMembers, account: Owner): ProxyPool {
  return {
    name: pool.name,
    policy: pool.policy,
    members,
    isDefault: account.default_proxy === `pool:${pool.name}`,
    createdAt: iso(pool.created_at),
    updatedAt: iso(pool.updated_at),
  };
}
