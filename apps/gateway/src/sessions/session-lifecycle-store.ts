import { utcDay } from '@turnpike/contract/calendar';
import type { EndedBrowser } from '@turnpike/contract/host';
import type { EndReason, EndStatus } from '@turnpike/contract/session';
import type { ProxyUse } from '@turnpike/contract/traffic';
import type { Transaction } from 'kysely';
import { settleProxies } from '../ledger/proxy-day-store.ts';
import { tellLastProxyNews } from '../ledger/proxy-news-store.ts';
import { meteredBytes, withReport } from '../ledger/session-bytes-store.ts';
import { reconciled, summaryOf, type Traffic, trafficOf } from '../ledger/traffic.ts';
import { findTraffic, settleTraffic } from '../ledger/traffic-store.ts';
import type { CountBytes } from '../seams/count-bytes.ts';
import type { Database } from '../store/database.ts';
import type { SessionRow, SessionState, Tables } from '../store/tables.ts';
import { presentRecord } from './present-session.ts';
import { billedSeconds, endOfSession } from './session.ts';
import { clientColumns } from './session-clients.ts';
import type { SessionContext } from './session-context.ts';
import { billStandby } from './standby/standby-store.ts';

/** Every change of a session's state. Each is one conditional statement or transaction. */

/** How a session ended: what its host told, where it did, and when by the store's clock. */
export interface Ending extends Partial<Omit<EndedBrowser, 'agoMs'>> {
  status: EndStatus;
  endedAt: number;
  reason: EndReason;
}

type DroppedTraffic = { [Name in 'droppedDestinations' | 'droppedProxies']: Traffic[Name] | undefined };

/**
 * Ends a session: the only way out of ACTIVE. The state change and its bill are one transaction that begins with a
 * conditional update, so of any number of endings the first counts and the others change nothing. Returns the
 * session's state, and why it ended if this ending was the first, with what its traffic has lost.
 */
export async function endSession(
  { db, outbox, countBytes }: Pick<SessionContext, 'db' | 'outbox' | 'countBytes'>,
  session: SessionRow,
  ending: Ending,
): Promise<{ state: SessionState; endedFor?: EndReason; dropped?: DroppedTraffic; proxies?: ProxyUse[] }> {
  const endedAt = endOfSession(session, ending.status, ending.endedAt);
  const clients = clientColumns(session, ending, ending.endedAt);
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .updateTable('sessions')
      .set((e) => ({
        state: ending.status,
        ended_at: endedAt,
        billed_seconds: billedSeconds(session.created_at, endedAt),
        end_reason: e.fn.coalesce('end_reason', e.val(ending.reason)),
        end_signal: ending.signal ?? null,
        evidence: evidenceOf(ending),
        // The row may know more than an ending that says nothing of clients.
        ...(ending.connectedAgoMs !== undefined && clients),
        ...(ending.savings && { savings: JSON.stringify(ending.savings) }),
      }))
      .where('id', '=', session.id)
      .where('state', '=', 'ACTIVE')
      .returningAll()
      .executeTakeFirst();
    if (!row) return { state: await currentState(trx, session.id) };
    const permille = row.standby_permille;
    const ended =
      permille === null ? row : await billStandby(trx, row, { endedAt, report: ending.standby, permille });
    const billed = ended.billed_seconds;
    const { counters, traffic } = await settleCounters(trx, countBytes, ended, { ...ending, endedAt });
    const { bytes_up, bytes_down } = counters;
    const account = await trx
      .updateTable('accounts')
      .set((e) => ({ browser_seconds: e('browser_seconds', '+', billed) }))
      .where('id', '=', session.account_id)
      .returning(['id', 'browser_seconds', 'browser_seconds_cap'])
      .executeTakeFirstOrThrow();
    await tellLastProxyNews(trx, outbox, ended, traffic?.proxies, endedAt);
    await outbox(trx, {
      kind: 'ended',
      accountId: session.account_id,
      at: endedAt,
      record: presentRecord({ ...ended, ...counters }, endedAt),
      status: ending.status,
    });
    await outbox(trx, { kind: 'billed', account, billedSeconds: billed, at: endedAt });
    await trx
      .insertInto('usage_days')
      .values({
        account_id: session.account_id,
        day: utcDay(endedAt),
        sessions: 1,
        browser_seconds: billed,
        bytes_up,
        bytes_down,
      })
      .onConflict((conflict) =>
        conflict.columns(['account_id', 'day']).doUpdateSet((e) => ({
          sessions: e('usage_days.sessions', '+', e.ref('excluded.sessions')),
          browser_seconds: e('usage_days.browser_seconds', '+', e.ref('excluded.browser_seconds')),
          bytes_up: e('usage_days.bytes_up', '+', e.ref('excluded.bytes_up')),
          bytes_down: e('usage_days.bytes_down', '+', e.ref('excluded.bytes_down')),
        })),
      )
      .execute();
    if (traffic) await settleTraffic(trx, ended, traffic, { at: endedAt, day: utcDay(endedAt) });
    await settleProxies(trx, ended, traffic?.proxies, utcDay(endedAt));
    const endedFor = ended.end_reason ?? ending.reason;
    const { droppedDestinations, droppedProxies, proxies } = traffic ?? {};
    const isWhole = !droppedDestinations && !droppedProxies;
    return {
      state: ending.status,
      endedFor,
      ...(!isWhole && { dropped: { droppedDestinations, droppedProxies } }),
      ...(proxies && { proxies }),
    };
  });
}

type Counters = Pick<SessionRow, 'bytes_up' | 'bytes_down'> & Partial<Pick<SessionRow, 'traffic'>>;

/**
 * Stores the final counters of a session under its row's lock, and where its bytes went. A host that is lost has no more
 * to say than its last heartbeat.
 */
async function settleCounters(
  trx: Transaction<Tables>,
  countBytes: CountBytes,
  session: SessionRow,
  ending: Ending,
): Promise<{ counters: Counters; traffic: Traffic | undefined }> {
  const { endedAt } = ending;
  const { bytes, added } = withReport(session, ending);
  const known = ending.traffic
    ? trafficOf(ending.traffic, endedAt)
    : (await findTraffic(trx, session.id))?.traffic;
  if (!known && bytes.bytes_up + bytes.bytes_down === 0) return { counters: bytes, traffic: undefined };
  const traffic = reconciled(known, { bytesUp: bytes.bytes_up, bytesDown: bytes.bytes_down });
  const summary = JSON.stringify(summaryOf(traffic));
  await trx
    .updateTable('sessions')
    .set({ ...bytes, traffic: summary })
    .where('id', '=', session.id)
    .execute();
  await countBytes(trx, meteredBytes(session, added, endedAt));
  return { counters: { ...bytes, traffic: summary }, traffic };
}

/** Stores in advance why a running session will end; the ending itself then keeps this reason. */
export async function setEndReason(db: Database, id: string, reason: EndReason | null): Promise<void> {
  await db
    .updateTable('sessions')
    .set({ end_reason: reason })
    .where('id', '=', id)
    .where('state', '=', 'ACTIVE')
    .execute();
}

async function currentState(db: Database, id: string): Promise<SessionState> {
  const row = await db.selectFrom('sessions').select('state').where('id', '=', id).executeTakeFirstOrThrow();
  return row.state;
}

/** Null: nobody heard from the host at the session's end. */
function evidenceOf({ isolation, serviceVersion }: Ending): string | null {
  return serviceVersion === undefined ? null : JSON.stringify({ isolation, serviceVersion });
}
