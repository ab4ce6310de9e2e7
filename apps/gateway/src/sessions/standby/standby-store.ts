import type { StandbyReport } from '@turnpike/contract/host';
import type { Transaction } from 'kysely';
import { lockAccount } from '../../limits/account-lock-store.ts';
import type { Outbox } from '../../seams/outbox.ts';
import type { Database } from '../../store/database.ts';
import type { SessionRow, Tables } from '../../store/tables.ts';
import { presentRecord } from '../present-session.ts';
import { billedWithStandby, standbyMs } from '../session.ts';

/** Standby as the store has it. It is written when a session falls asleep or wakes, and not while it sleeps. */

type StandbyColumns = Pick<SessionRow, 'standby_ms' | 'standby_since'>;

const columnsOf = ({ totalMs, asleepForMs }: StandbyReport, at: number): StandbyColumns => ({
  standby_ms: totalMs - (asleepForMs ?? 0),
  standby_since: asleepForMs === undefined ? null : at - asleepForMs,
});

/**
 * Stores what a heartbeat says about a session's standby, and tells its events, in one transaction. A heartbeat that
 * another has overtaken changes nothing. Almost all have nothing new, and no statement.
 */
export async function recordStandby(
  { db, outbox }: { db: Database; outbox: Outbox },
  session: SessionRow,
  report: StandbyReport | undefined,
  at: number,
): Promise<void> {
  if (!report) return;
  const { standby_ms: knownMs, standby_since: knownSince, account_id: accountId } = session;
  const columns = columnsOf(report, at);
  const wasAsleep = knownSince !== null;
  const isAsleep = columns.standby_since !== null;
  // It slept or woke in between, and is now as it was.
  const hasChanged = columns.standby_ms > knownMs;
  if (!hasChanged && wasAsleep === isAsleep) return;
  await db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('sessions')
      .set(columns)
      .where('id', '=', session.id)
      .where('state', '=', 'ACTIVE')
      .where('standby_ms', '=', knownMs)
      .where('standby_since', wasAsleep ? '=' : 'is', knownSince)
      .returningAll()
      .executeTakeFirst();
    if (!row) return;
    await lockAccount(trx, accountId);
    const tell = (type: 'session.standby' | 'session.woke') =>
      outbox(trx, { kind: 'standby', type, accountId, at, record: presentRecord(row, at) });
    if (wasAsleep) await tell('session.woke');
    if (isAsleep || !wasAsleep) await tell('session.standby');
    if (!isAsleep && !wasAsleep) await tell('session.woke');
  });
}

/**
 * Bills a session that may have slept, in the transaction of its end. Its host knows best how long that was. Of a host
 * that is lost, the last heartbeat counts.
 */
export async function billStandby(
  trx: Transaction<Tables>,
  ended: SessionRow,
  { endedAt, report, permille }: { endedAt: number; report: StandbyReport | undefined; permille: number },
): Promise<SessionRow> {
  const known = report ? { ...columnsOf(report, endedAt), created_at: ended.created_at } : ended;
  const asleepMs = standbyMs(known, endedAt);
  const billed = {
    standby_ms: asleepMs,
    standby_since: null,
    billed_seconds: billedWithStandby(ended.created_at, endedAt, { asleepMs, permille }),
  };
  await trx.updateTable('sessions').set(billed).where('id', '=', ended.id).execute();
  return { ...ended, ...billed };
}
