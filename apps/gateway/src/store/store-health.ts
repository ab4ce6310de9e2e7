import { type Dialect, Kysely, type LogEvent, sql } from 'kysely';
import { isStoreOutage } from './outage.ts';
import { isRead } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** Databases whose last write failed for a reason that every write will fail for. */
const unwritable = new WeakSet<Kysely<Tables>>();

/** Opens a database and remembers whether it accepts writes. With a full disk it still answers reads. */
export function watchWrites(dialect: Dialect, log?: (event: LogEvent) => void): Kysely<Tables> {
  const db: Kysely<Tables> = new Kysely<Tables>({
    dialect,
    log(event) {
      if (event.level === 'error' && !isRead(event.query) && isStoreOutage(event.error)) unwritable.add(db);
      log?.(event);
    },
  });
  return db;
}

/** Rejects when the store does not answer, or accepts no writes (a full disk, a lock that is never released). */
export async function pingStore(db: Kysely<Tables>): Promise<void> {
  await sql`select 1`.execute(db);
  await checkWrites(db);
}

/** Tries a write if the last one failed, and rejects while it still fails. */
async function checkWrites(db: Kysely<Tables>): Promise<void> {
  if (!unwritable.has(db)) return;
  const at = Date.now();
  await db
    .insertInto('store_probe')
    .values({ id: 1, at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ at }))
    .execute();
  unwritable.delete(db);
}
