import { sql } from 'kysely';
import type { Database } from '../store/database.ts';
import { jsonTable } from '../store/json-rows.ts';
import { preparedQuery } from '../store/prepared-query.ts';
import type { ShownSession } from './session-store.ts';

type FoundRow = ShownSession & { asked: string };

/** One branch for each kind of id, so that both use their index. */
const shownByEither = preparedQuery<FoundRow>((db, parameter) => {
  const by = (column: 'id' | 'cdp_id') => sql`
    select c0 as asked, s.id, s.cdp_id, s.viewer_token, s.state, s.created_at, s.expires_at, s.host_url, s.viewer,
      s.protocols, s.standby_since, s.standby_permille, s.params, s.metadata, s.name, s.named, s.tags
    from ${jsonTable(db, parameter(0), 1)} join sessions as s on s.${sql.ref(column)} = c0
    where s.account_id = ${parameter(1)} and s.state <> 'STARTING'
      and s.readable_until > cast(${parameter(2)} as bigint)`;
  return sql<FoundRow>`${by('id')} union all ${by('cdp_id')}`;
});

/** Finds an account's readable sessions among ids of either kind, by the id as it was given. */
export async function listOwnSessions(
  db: Database,
  { accountId, ids, now }: { accountId: string; ids: readonly string[]; now: number },
): Promise<Map<string, ShownSession>> {
  const rows = await shownByEither(db, JSON.stringify(ids.map((id) => [id])), accountId, now);
  return new Map(rows.map((row) => [row.asked, row]));
}
