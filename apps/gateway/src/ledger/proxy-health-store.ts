import { sql, type Transaction } from 'kysely';
import type { Outbox } from '../seams/outbox.ts';
import type { SavedProxyRow } from '../store/tables/proxy-tables.ts';
import type { Tables } from '../store/tables.ts';

/**
 * Every change of a saved proxy's state, with its event in the same transaction. Whoever calls these has locked the
 * account's row before (`lockAccount`, or an update of it): events take that lock, so all writers must take it first.
 */

/** A failed proxy is dialled again after 10 seconds, then after twice as long each time, up to 5 minutes. */
const firstCheckMs = 10_000;
const maxCheckMs = 300_000;

/** What is known of the attempt besides its outcome. */
export interface ProxyAttempt {
  proxyId: string;
  at: number;
  /** Whether it was dialled to see how it is. Otherwise a session has told. */
  isCheck?: boolean;
}

const nextCheck = (at: number) =>
  sql<number>`cast(${at} as bigint) + case when failures >= 5 then ${sql.lit(maxCheckMs)}
    else ${sql.lit(firstCheckMs)} << failures end`;

/** A proxy did not work: it is `failing`, and dialled again later. `error` is for a person and has no password. */
export async function proxyFailed(
  trx: Transaction<Tables>,
  outbox: Outbox,
  { proxyId, at, isCheck = false, error }: ProxyAttempt & { error: string },
): Promise<void> {
  const failure = {
    failures: sql<number>`failures + 1`,
    next_check_at: nextCheck(at),
    last_error: error,
    ...(isCheck && { checked_at: at }),
  };
  const changed = await trx
    .updateTable('saved_proxies')
    .set({ ...failure, state: 'failing', state_at: at })
    .where('id', '=', proxyId)
    .where('state', '<>', 'failing')
    .returning(['account_id', 'name'])
    .executeTakeFirst();
  if (changed) return tellState(trx, outbox, 'proxy.failing', changed, { at, error });
  // What sessions see of a proxy that is known to fail must not put its next check off.
  if (isCheck) await trx.updateTable('saved_proxies').set(failure).where('id', '=', proxyId).execute();
}

/** A proxy worked. */
export async function proxyWorked(
  trx: Transaction<Tables>,
  outbox: Outbox,
  { proxyId, at, isCheck = false, latencyMs }: ProxyAttempt & { latencyMs?: number },
): Promise<void> {
  const success = {
    failures: 0,
    next_check_at: null,
    ...(isCheck && { checked_at: at }),
    ...(latencyMs !== undefined && { latency_ms: Math.round(latencyMs) }),
  };
  const healthy = { ...success, state: 'healthy' as const, state_at: at };
  const recovered = await trx
    .updateTable('saved_proxies')
    .set(healthy)
    .where('id', '=', proxyId)
    .where('state', '=', 'failing')
    .returning(['account_id', 'name'])
    .executeTakeFirst();
  if (recovered) return tellState(trx, outbox, 'proxy.recovered', recovered, { at, error: null });
  const first = await trx
    .updateTable('saved_proxies')
    .set(healthy)
    .where('id', '=', proxyId)
    .where('state', '=', 'unknown')
    .executeTakeFirst();
  if (first.numUpdatedRows === 0n)
    await trx.updateTable('saved_proxies').set(success).where('id', '=', proxyId).execute();
}

function tellState(
  trx: Transaction<Tables>,
  outbox: Outbox,
  type: 'proxy.failing' | 'proxy.recovered',
  { account_id: accountId, name }: Pick<SavedProxyRow, 'account_id' | 'name'>,
  { at, error }: { at: number; error: string | null },
): Promise<void> {
  const state = type === 'proxy.failing' ? 'failing' : 'healthy';
  return outbox(trx, { kind: 'proxy', type, accountId, at, data: { proxy: `name:${name}`, state, error } });
}

/** At most one event about a proxy's exit in this time: those of a rotating proxy change with every connection. */
const exitEventMs = 600_000;

/**
 * Stores where a proxy comes out. The first address is no change, and a URL with placeholders comes out elsewhere by
 * design: neither has an event.
 */
export async function proxyExitSeen(
  trx: Transaction<Tables>,
  outbox: Outbox,
  { proxyId, at, exit }: { proxyId: string; at: number; exit: { ip: string; country?: string | undefined } },
): Promise<void> {
  const before = await trx
    .selectFrom('saved_proxies')
    .select(['account_id', 'name', 'url_masked', 'exit_ip', 'exit_changed_at'])
    .where('id', '=', proxyId)
    .executeTakeFirst();
  if (!before || before.exit_ip === exit.ip) return;
  const { account_id: accountId, name, exit_ip: previousExitIp } = before;
  const exitCountry = exit.country ?? null;
  const isNews =
    previousExitIp !== null &&
    !before.url_masked.includes('{') &&
    (before.exit_changed_at === null || before.exit_changed_at <= at - exitEventMs);
  await trx
    .updateTable('saved_proxies')
    .set({ exit_ip: exit.ip, exit_country: exitCountry, ...(isNews && { exit_changed_at: at }) })
    .where('id', '=', proxyId)
    .execute();
  if (!isNews) return;
  const data = { proxy: `name:${name}`, exitIp: exit.ip, exitCountry, previousExitIp };
  await outbox(trx, { kind: 'proxy', type: 'proxy.exit_changed', accountId, at, data });
}
