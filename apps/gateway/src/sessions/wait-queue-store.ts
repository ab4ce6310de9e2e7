import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';
import type { Tables, WaitingPhase } from '../store/tables.ts';

/** A create's place in its account's line, and the gateway that keeps it. */
export interface Place {
  accountId: string;
  ticket: number;
  gateway: string;
}

/** A gateway says this often that its creates still wait; one that has died holds nobody up for longer. */
const aliveMs = 8000;

/** Takes or keeps the place. */
export async function standInLine(
  db: Database | Transaction<Tables>,
  { accountId, ticket, gateway }: Place,
  phase: WaitingPhase,
  now: number,
): Promise<void> {
  const alive_until = now + aliveMs;
  await db
    .insertInto('waiting')
    .values({ account_id: accountId, ticket, phase, gateway, alive_until })
    .onConflict((conflict) => conflict.columns(['account_id', 'ticket']).doUpdateSet({ phase, alive_until }))
    .execute();
}

export async function leaveLine(db: Database, { accountId, ticket }: Place): Promise<void> {
  await db.deleteFrom('waiting').where('account_id', '=', accountId).where('ticket', '=', ticket).execute();
}

export async function stayAlive(db: Database, gateway: string, now: number): Promise<void> {
  await db
    .updateTable('waiting')
    .set({ alive_until: now + aliveMs })
    .where('gateway', '=', gateway)
    .execute();
}

/** What gateways that died left. */
export async function pruneWaiting(db: Database, now: number): Promise<void> {
  await db.deleteFrom('waiting').where('alive_until', '<', now).execute();
}

/** Which of these accounts have a slot that nobody runs in. */
export async function accountsWithFreeSlot(db: Database, accountIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('accounts as a')
    .select(['a.id', 'a.concurrent_limit'])
    .select((e) =>
      e
        .selectFrom('sessions as s')
        .select((s) => s.fn.countAll<number>().as('taken'))
        .whereRef('s.account_id', '=', 'a.id')
        .where(isRunning)
        .as('taken'),
    )
    .where('a.id', 'in', accountIds)
    .execute();
  return rows
    .filter(({ concurrent_limit: limit, taken }) => limit === null || (taken ?? 0) < limit)
    .map(({ id }) => id);
}
