import { maxSavedProxies } from '@turnpike/contract/proxies';
import { type Insertable, sql, type Transaction, type Updateable } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';
import type { SavedProxyRow, SavedProxyTable } from '../store/tables/proxy-tables.ts';
import type { Tables } from '../store/tables.ts';

export function listProxies(db: Database, accountId: string): Promise<SavedProxyRow[]> {
  return db
    .selectFrom('saved_proxies')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('name')
    .execute();
}

export function findProxy(
  db: Database | Transaction<Tables>,
  accountId: string,
  name: string,
): Promise<SavedProxyRow | undefined> {
  return db
    .selectFrom('saved_proxies')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Stores a new proxy. Undefined means done. */
export function insertProxy(
  db: Database,
  row: Insertable<SavedProxyTable>,
): Promise<'name-taken' | 'too-many' | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, row.account_id);
    const others = await trx
      .selectFrom('saved_proxies')
      .select((e) => e.fn.countAll<number>().as('count'))
      .select((e) =>
        e.fn.sum<number | null>(sql<number>`case when name = ${row.name} then 1 else 0 end`).as('same'),
      )
      .where('account_id', '=', row.account_id)
      .executeTakeFirstOrThrow();
    if (Number(others.same ?? 0) > 0) return 'name-taken';
    if (Number(others.count) >= maxSavedProxies) return 'too-many';
    await trx.insertInto('saved_proxies').values(row).execute();
    return undefined;
  });
}

/** Changes a proxy, and its name wherever it is the default. `make` gets the row as it is. */
export function changeProxy(
  db: Database,
  accountId: string,
  name: string,
  make: (row: SavedProxyRow) => Updateable<SavedProxyTable>,
): Promise<SavedProxyRow | 'not-found' | 'name-taken'> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const row = await findProxy(trx, accountId, name);
    if (!row) return 'not-found';
    const change = make(row);
    const next = change.name ?? name;
    if (next !== name) {
      if (await findProxy(trx, accountId, next)) return 'name-taken';
      await renameDefault(trx, accountId, `name:${name}`, `name:${next}`);
    }
    return trx
      .updateTable('saved_proxies')
      .set(change)
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
}

/** The account's default goes along with the name of what it names. */
export async function renameDefault(
  trx: Transaction<Tables>,
  accountId: string,
  from: string,
  to: string,
): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ default_proxy: to })
    .where('id', '=', accountId)
    .where('default_proxy', '=', from)
    .execute();
}

/** Who needs a proxy. */
export interface ProxyUsers {
  /** Ids of running and starting sessions. */
  sessions: string[];
  /** Names of pools. */
  pools: string[];
  isDefault: boolean;
}

/** Deletes a proxy that nobody needs. Undefined means done. */
export function deleteProxy(
  db: Database,
  accountId: string,
  name: string,
): Promise<'not-found' | ProxyUsers | undefined> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    const row = await findProxy(trx, accountId, name);
    if (!row) return 'not-found';
    const users = await usersOf(trx, row);
    if (users.isDefault || users.sessions.length > 0 || users.pools.length > 0) return users;
    await trx
      .deleteFrom('proxy_keys')
      .where('account_id', '=', accountId)
      .where((e) => e.or([e('scope', '=', row.id), e('proxy_id', '=', row.id)]))
      .execute();
    await trx.deleteFrom('session_proxies').where('proxy_id', '=', row.id).execute();
    await trx.deleteFrom('saved_proxies').where('id', '=', row.id).execute();
    return undefined;
  });
}

async function usersOf(trx: Transaction<Tables>, row: SavedProxyRow): Promise<ProxyUsers> {
  const sessions = await trx
    .selectFrom('session_proxies')
    .innerJoin('sessions', 'sessions.id', 'session_proxies.session_id')
    .select('sessions.id')
    .where('session_proxies.proxy_id', '=', row.id)
    .where(isRunning)
    .orderBy('sessions.created_at')
    .limit(100)
    .execute();
  const pools = await trx
    .selectFrom('proxy_pool_members')
    .innerJoin('proxy_pools', 'proxy_pools.id', 'proxy_pool_members.pool_id')
    .select('proxy_pools.name')
    .where('proxy_pool_members.proxy_id', '=', row.id)
    .orderBy('proxy_pools.name')
    .execute();
  const account = await trx
    .selectFrom('accounts')
    .select('default_proxy')
    .where('id', '=', row.account_id)
    .executeTakeFirst();
  return {
    sessions: sessions.map(({ id }) => id),
    pools: pools.map((pool) => pool.name),
    isDefault: account?.default_proxy === `name:${row.name}`,
  };
}

/** Sets the account's default, which must exist. False: it does not. */
export function setDefault(
  db: Database,
  accountId: string,
  proxy: { kind: 'name' | 'pool'; name: string } | null,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await lockAccount(trx, accountId);
    if (proxy) {
      const table = proxy.kind === 'name' ? 'saved_proxies' : 'proxy_pools';
      const found = await trx
        .selectFrom(table)
        .select('id')
        .where('account_id', '=', accountId)
        .where('name', '=', proxy.name)
        .executeTakeFirst();
      if (!found) return false;
    }
    await trx
      .updateTable('accounts')
      .set({ default_proxy: proxy && `${proxy.kind}:${proxy.name}` })
      .where('id', '=', accountId)
      .execute();
    return true;
  });
}
