import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { jsonRows } from '../store/json-rows.ts';
import type { SessionClients } from './session-clients.ts';

/** Stores when clients of running sessions were connected, in one statement. */
export async function recordSessionClients(db: Database, clients: readonly SessionClients[]): Promise<void> {
  if (clients.length === 0) return;
  const text = (time: number | null) => (time === null ? '' : String(time));
  const rows = clients.map((each) => [each.id, text(each.connected_at), text(each.disconnected_at)]);
  await sql`
    update sessions set connected_at = connected, disconnected_at = disconnected
    from (
      select c0 as session_id, cast(nullif(c1, '') as bigint) as connected,
        cast(nullif(c2, '') as bigint) as disconnected
      from ${jsonRows(db, rows, 3)}
    ) as reports
    where id = session_id and state = 'ACTIVE'
  `.execute(db);
}
