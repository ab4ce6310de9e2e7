import { randomUUID } from 'node:crypto';
import type { Transaction, Updateable } from 'kysely';
import type { Database } from '../store/database.ts';
import type { SessionRow, SessionTable, Tables } from '../store/tables.ts';

/** A change of a session's proxy. One at a time, on however many gateways: who has the claim may call the host. */

export interface Claim {
  session: SessionRow;
  token: string;
}

/**
 * Claims a running session for a change. Undefined if somebody else has it, or the session has ended. A claim lapses by
 * itself: its gateway may have died.
 */
export async function claimChange(
  db: Database,
  id: string,
  { now, until }: { now: number; until: number },
): Promise<Claim | undefined> {
  const token = randomUUID();
  const session = await db
    .updateTable('sessions')
    .set({ proxy_change: token, proxy_change_until: until })
    .where('id', '=', id)
    .where('state', '=', 'ACTIVE')
    .where((e) => e.or([e('proxy_change_until', 'is', null), e('proxy_change_until', '<=', now)]))
    .returningAll()
    .executeTakeFirst();
  return session && { session, token };
}

const unclaimed = { proxy_change: null, proxy_change_until: null };

/** Stores what a session uses now, and gives up the claim. Undefined if it has ended. */
export function finishChange(
  db: Database,
  { session, token }: Claim,
  values: Updateable<SessionTable>,
): Promise<SessionRow | undefined> {
  return db
    .updateTable('sessions')
    .set({ ...values, ...unclaimed })
    .where('id', '=', session.id)
    .where('state', '=', 'ACTIVE')
    .where('proxy_change', '=', token)
    .returningAll()
    .executeTakeFirst();
}

export async function giveUpClaim(db: Database, { session, token }: Claim): Promise<void> {
  await db
    .updateTable('sessions')
    .set(unclaimed)
    .where('id', '=', session.id)
    .where('proxy_change', '=', token)
    .execute();
}

/** The ids of the saved proxies that a session uses, or has used. */
export async function usesOf(trx: Transaction<Tables>, sessionId: string): Promise<Set<string>> {
  const rows = await trx
    .selectFrom('session_proxies')
    .select('proxy_id')
    .where('session_id', '=', sessionId)
    .execute();
  return new Set(rows.map(({ proxy_id }) => proxy_id));
}

export async function dropUse(db: Database, sessionId: string, proxyId: string): Promise<void> {
  await db
    .deleteFrom('session_proxies')
    .where('session_id', '=', sessionId)
    .where('proxy_id', '=', proxyId)
    .execute();
}

/** The saved proxy and the pool that a session uses; undefined where it has none, or it was deleted. */
export async function proxyAndPoolOf(
  db: Database,
  { proxy_id, pool_id }: Pick<SessionRow, 'proxy_id' | 'pool_id'>,
) {
  const saved =
    proxy_id === null
      ? undefined
      : await db.selectFrom('saved_proxies').selectAll().where('id', '=', proxy_id).executeTakeFirst();
  const pool =
    pool_id === null
      ? undefined
      : await db.selectFrom('proxy_pools').selectAll().where('id', '=', pool_id).executeTakeFirst();
  return { saved, pool };
}
