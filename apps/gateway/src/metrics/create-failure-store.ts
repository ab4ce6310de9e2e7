import type { Database } from '../store/database.ts';

export interface FailedCreates {
  /** When the hour began. */
  hour: number;
  code: string;
  creates: number;
}

/** Adds counts in one statement. Rows are written in the order of their key, so gateways do not deadlock. */
export async function addFailures(db: Database, failures: readonly FailedCreates[]): Promise<void> {
  if (failures.length === 0) return;
  await db
    .insertInto('create_failures')
    .values(failures.toSorted((a, b) => a.hour - b.hour || (a.code < b.code ? -1 : 1)))
    .onConflict((conflict) =>
      conflict.columns(['hour', 'code']).doUpdateSet((e) => ({
        creates: e('create_failures.creates', '+', e.ref('excluded.creates')),
      })),
    )
    .execute();
}

export function failuresBetween(db: Database, from: number, to: number): Promise<FailedCreates[]> {
  return db
    .selectFrom('create_failures')
    .select(['hour', 'code', 'creates'])
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .execute();
}

export async function pruneFailures(db: Database, before: number): Promise<void> {
  await db.deleteFrom('create_failures').where('hour', '<', before).execute();
}
