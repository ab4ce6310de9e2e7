import type { ProxyUse } from '@turnpike/contract/traffic';
import type { Transaction } from 'kysely';
import { lockAccount } from '../limits/account-lock-store.ts';
import type { Outbox } from '../seams/outbox.ts';
import type { Database } from '../store/database.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import { savedName } from './proxy-day-store.ts';
import { proxyExitSeen, proxyFailed } from './proxy-health-store.ts';
import { newsOfProxies, type ProxyNews } from './seen-proxies.ts';

type Session = Pick<SessionRow, 'id' | 'account_id' | 'proxies_seen'>;

function newsFor({ proxies_seen }: Session, proxies: readonly ProxyUse[] | undefined) {
  if (!proxies) return undefined;
  return newsOfProxies(proxies_seen === null ? [] : readStoredJson(proxies_seen), proxies);
}

/**
 * Tells what a heartbeat says about the proxies of a running session: events, and the state of saved proxies. A
 * heartbeat that another has overtaken tells nothing. Almost all have nothing new, and no statement.
 */
export async function tellProxyNews(
  { db, outbox }: { db: Database; outbox: Outbox },
  session: Session,
  proxies: readonly ProxyUse[] | undefined,
  at: number,
): Promise<void> {
  const found = newsFor(session, proxies);
  if (!found) return;
  const { id, account_id: accountId, proxies_seen: known } = session;
  await db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('sessions')
      .set({ proxies_seen: JSON.stringify(found.seen) })
      .where('id', '=', id)
      .where('state', '=', 'ACTIVE')
      .where('proxies_seen', known === null ? 'is' : '=', known)
      .executeTakeFirst();
    if (numUpdatedRows === 0n || found.news.length === 0) return;
    await lockAccount(trx, accountId);
    await tell(trx, outbox, session, found.news, at);
  });
}

/** The same at the end of a session, in its transaction, which has locked the account's row. */
export async function tellLastProxyNews(
  trx: Transaction<Tables>,
  outbox: Outbox,
  session: Session,
  proxies: readonly ProxyUse[] | undefined,
  at: number,
): Promise<void> {
  const found = newsFor(session, proxies);
  if (found) await tell(trx, outbox, session, found.news, at);
}

async function tell(
  trx: Transaction<Tables>,
  outbox: Outbox,
  session: Session,
  news: readonly ProxyNews[],
  at: number,
): Promise<void> {
  const { id: sessionId, account_id: accountId } = session;
  const ids = await idsOf(trx, accountId, news);
  const ofSession = { kind: 'session_proxy', accountId, sessionId, at } as const;
  for (const each of news) {
    const { proxy } = each;
    const proxyId = ids.get(proxy);
    switch (each.kind) {
      case 'failed': {
        const { cause, failures, connections } = each;
        const data = { proxy, cause, failures, connections };
        await outbox(trx, { ...ofSession, type: 'session.proxy_failed', data });
        break;
      }
      case 'down': {
        const error = `every connection of a session failed (${each.causes.join(', ')})`;
        if (proxyId) await proxyFailed(trx, outbox, { proxyId, at, error });
        break;
      }
      case 'exit': {
        const { exit, previous = null, isChange } = each;
        const data = { proxy, exitIp: exit.ip, exitCountry: exit.country ?? null, previousExitIp: previous };
        if (isChange) await outbox(trx, { ...ofSession, type: 'session.exit_changed', data });
        if (proxyId) await proxyExitSeen(trx, outbox, { proxyId, at, exit });
      }
    }
  }
}

/** The ids of the saved proxies among them, by label. */
async function idsOf(
  trx: Transaction<Tables>,
  accountId: string,
  news: readonly ProxyNews[],
): Promise<Map<string, string>> {
  const names = news.flatMap(({ proxy }) => savedName(proxy) ?? []);
  if (names.length === 0) return new Map();
  const rows = await trx
    .selectFrom('saved_proxies')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('name', 'in', [...new Set(names)])
    .execute();
  return new Map(rows.map(({ id, name }) => [`name:${name}`, id]));
}
