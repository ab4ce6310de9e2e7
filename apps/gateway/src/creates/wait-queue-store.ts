import type { Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import { isRunning } from '../store/session-states.ts';
import type { Tables, WaitingPhase } from '../store/tables.ts';

/** A create in its account's queue, and the gateway that waits for it. */
export interface QueueEntry {
  accountId: string;
  /** The number of its request: lower ones go first. */
  ticket: number;
  gateway: string;
}

/** How long an entry is valid without renewal. One of a gateway that died holds up the queue no longer than this. */
const aliveMs = 8000;

/** Adds an entry to the queue, or changes its phase and renews it. */
export async function enqueue(
  db: Database | Transaction<Tables>,
  { accountId, ticket, gateway }: QueueEntry,
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

export async function dequeue(db: Database, { accountId, ticket }: QueueEntry): Promise<void> {
  await db.deleteFrom('waiting').where('account_id', '=', accountId).where('ticket', '=', ticket).execute();
}

/** Renews all entries of a gateway. */
export async function renewEntries(db: Database, gateway: string, now: number): Promise<void> {
  await db
    .updateTable('waiting')
    .set({ alive_until: now + aliveMs })
    .where('gateway', '=', gateway)
    .execute();
}

/** Deletes the entries of gateways that died. */
export async function pruneQueue(db: Database, now: number): Promise<void> {
  await db.deleteFrom('waiting').where('alive_until', '<', now).execute();
}

/** Filters accounts: those with a free slot. */
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
