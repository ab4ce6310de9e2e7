import { unknownCountry } from '@turnpike/contract/bandwidth';
import { utcDay } from '@turnpike/contract/calendar';
import { sql, type Transaction } from 'kysely';
import type { CountBytes, CountedBytes } from '../seams/count-bytes.ts';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import { type RunningTraffic, recordTraffic } from './traffic-store.ts';

export interface SessionBytes {
  bytesUp?: number;
  bytesDown?: number;
}

/** Merges a report into a session's counters, and tells how many bytes are new. */
export function withReport(session: SessionRow, { bytesUp = 0, bytesDown = 0 }: SessionBytes) {
  // Reports may overtake each other; counters only grow.
  const bytes = {
    bytes_up: Math.max(bytesUp, session.bytes_up),
    bytes_down: Math.max(bytesDown, session.bytes_down),
  };
  return { bytes, added: bytes.bytes_up - session.bytes_up + bytes.bytes_down - session.bytes_down };
}

/** What new bytes count for: the product that the session is metered for, if any, on the day of the report. */
export function meteredBytes(session: SessionRow, added: number, at: number): CountedBytes[] {
  const { metered_product: product, metered_country, account_id: accountId } = session;
  if (!product) return [];
  const country = metered_country ?? unknownCountry;
  return [{ accountId, product, country, day: utcDay(at), bytes: BigInt(added) }];
}

/** Stores counters and traffic of running sessions. For metered sessions use `recordMeteredBytes`. */
export async function recordSessionBytes(
  db: Database,
  reports: readonly RunningTraffic[],
  at: number,
): Promise<void> {
  if (reports.length === 0) return;
  await db.transaction().execute(async (trx) => {
    await updateBytes(trx, reports);
    await recordTraffic(trx, reports, at);
  });
}

/** Stores counters in one statement. */
async function updateBytes(db: Transaction<Tables>, reports: readonly RunningTraffic[]): Promise<void> {
  const rows = reports.map(({ id, bytesUp, bytesDown }) => [id, `${bytesUp}`, `${bytesDown}`]);
  await sql`
    update sessions set
      bytes_up = case when up > bytes_up then up else bytes_up end,
      bytes_down = case when down > bytes_down then down else bytes_down end
    from (
      select c0 as session_id, cast(c1 as bigint) as up, cast(c2 as bigint) as down from ${jsonRows(db, rows, 3)}
    ) as reports
    where id = session_id and state = 'ACTIVE' and (up > bytes_up or down > bytes_down)
  `.execute(db);
}

/** Stores what running sessions saved so far, in one statement. */
export async function recordSavings(
  db: Database,
  reports: readonly { id: string; savings: string }[],
): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map(({ id, savings }) => [id, savings]);
  await sql`
    update sessions set savings = reported
    from (select c0 as session_id, c1 as reported from ${jsonRows(db, rows, 2)}) as reports
    where id = session_id and state = 'ACTIVE'
  `.execute(db);
}

/** Stores counters of metered sessions, and counts the new bytes in the same transaction. */
export async function recordMeteredBytes(
  { db, countBytes }: { db: Database; countBytes: CountBytes },
  reports: readonly RunningTraffic[],
  at: number,
): Promise<void> {
  if (reports.length === 0) return;
  const byId = new Map(reports.map((report) => [report.id, report]));
  await db.transaction().execute(async (trx) => {
    // A write first, to take the locks.
    const sessions = await trx
      .updateTable('sessions')
      .set({ state: 'ACTIVE' })
      .where('id', 'in', [...byId.keys()].sort())
      .where('state', '=', 'ACTIVE')
      .returningAll()
      .execute();
    await updateBytes(trx, reports);
    await recordTraffic(trx, reports, at);
    const counts = sessions.flatMap((session) =>
      meteredBytes(session, withReport(session, byId.get(session.id) ?? {}).added, at),
    );
    await countBytes(trx, counts);
  });
}
