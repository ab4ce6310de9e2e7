import type { Database } from '../store/database.ts';
import { preparedQuery } from '../store/prepared-query.ts';
import { isRunning } from '../store/session-states.ts';
import type { Slots } from './slots.ts';

const slotsByState = preparedQuery((db, parameter) =>
  db
    .selectFrom('sessions')
    .select(['state', (e) => e.fn.countAll<number>().as('count')])
    .where('account_id', '=', parameter(0))
    .where(isRunning)
    .groupBy('state'),
);

/** Counts the slots that an account's sessions and creates occupy. */
export async function countSlots(db: Database, accountId: string): Promise<Slots> {
  const rows = await slotsByState(db, accountId);
  const count = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  return { active: count('ACTIVE'), starting: count('STARTING') };
}
