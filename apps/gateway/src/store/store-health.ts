import { type Dialect, Kysely, type LogEvent } from 'kysely';
import type { Database } from './database.ts';
import { isStoreOutage } from './outage.ts';
import { isRead } from './sqlite-dialect.ts';
import type { Tables } from './tables.ts';

/** Stores whose last write failed for a reason that other writes will fail for too. */
const unwritable = new WeakSet<Database>();

/** A store that remembers whether it takes writes: one that answers reads from a full disk is not ready. */
export function watchWrites(dialect: Dialect, log?: (event: LogEvent) => void): Database {
  const db: Database = new Kysely<Tables>({
    dialect,
    log(event) {
      if (event.level === 'error' && !isRead(event.query) && isStoreOutage(event.error)) unwritable.add(db);
      log?.(event);
    },
  });
  return db;
}

/** Rejects while the store takes no writes. Whether it does again is found out by one. */
export async function checkWrites(db: Database): Promise<void> {
  if (!unwritable.has(db)) return;
  const at = Date.now();
  await db
    .insertInto('store_probe')
    .values({ id: 1, at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ at }))
    .execute();
  unwritable.delete(db);
}
