import type { ExpressionBuilder, Transaction } from 'kysely';
import { recordAttempt, windowMs } from '../accounts/rate-window-store.ts';
import { hasWriter } from '../saved-profiles/saved-profile-store.ts';
import type { Database } from '../store/database.ts';
import type { Tables } from '../store/tables.ts';
import type { Claim } from './idempotency.ts';
import { claimKey, findKey } from './idempotency-store.ts';
import type { StartingSession } from './session-store.ts';
import { standInLine } from './waiting-store.ts';

export type Admission =
  | { outcome: 'admitted'; remaining: number | null; limit: number | null; ticket: number }
  | { outcome: 'repeated'; claim: Claim; sessionId: string; ticket: number }
  | { outcome: 'other-params' }
  | { outcome: 'suspended' }
  | { outcome: 'rate-limited'; limit: number }
  | { outcome: 'cap-reached' }
  | { outcome: 'profile-in-use' }
  | { outcome: 'no-slot'; limit: number; taken: number; ticket: number }
  /** Others of the account wait for a seat already. */
  | { outcome: 'no-seat'; ticket: number };

export interface AdmissionRequest {
  accountId: string;
  now: number;
  /** The row that takes the slot; a request that is refused for its form afterwards takes none. */
  session: StartingSession | undefined;
  /** Of an Idempotency-Key. */
  claim?: Claim | undefined;
  /** A request that waited, and comes again: the number that it got when it was counted. */
  counted?: number | undefined;
  /** The gateway whose create will wait its turn where it must. */
  waitsAt?: string | undefined;
}

/**
 * Decides a create under the account's row lock, in the order of the contract: rate window, hours,
 * concurrency. The request is counted in the window whatever the decision. A repeat takes nothing, so it is
 * found before hours and concurrency are asked.
 */
export function admitCreate(db: Database, request: AdmissionRequest): Promise<Admission> {
  return db.transaction().execute(async (trx) => {
    // A write first: it takes the account's row lock in PostgreSQL, and the write lock in SQLite.
    const account = await trx
      .updateTable('accounts')
      .set((e) => ({ create_seq: e('create_seq', '+', request.counted === undefined ? 1 : 0) }))
      .where('id', '=', request.accountId)
      .returningAll()
      .executeTakeFirstOrThrow();
    if (account.status !== 'active') return { outcome: 'suspended' };

    const rate = account.creates_per_minute;
    const ticket = request.counted ?? account.create_seq;
    const { oldest, taken, ahead, seatAhead } = await lookUp(trx, request, ticket, account.create_seq - rate);
    if (request.counted === undefined) {
      await recordAttempt(trx, 'create_attempts', {
        accountId: request.accountId,
        seq: account.create_seq,
        rate,
        now: request.now,
      });
    }
    if (request.counted === undefined && oldest !== null && oldest > request.now - windowMs) {
      return { outcome: 'rate-limited', limit: rate };
    }
    const repeated = await findRepeated(trx, request, ticket);
    if (repeated) return repeated;
    const cap = account.browser_seconds_cap;
    if (cap !== null && account.browser_seconds >= cap) return { outcome: 'cap-reached' };
    const limit = account.concurrent_limit;
    const noSlot = limit !== null && taken + ahead >= limit;
    // Before it stands in line: it is not waited for.
    if (!noSlot && !seatAhead && (await isProfileInUse(trx, request))) return { outcome: 'profile-in-use' };
    if (request.waitsAt !== undefined) {
      const place = { accountId: account.id, ticket, gateway: request.waitsAt };
      await standInLine(trx, place, noSlot || seatAhead ? 'slot' : 'starting', request.now);
    }
    if (noSlot) return { outcome: 'no-slot', limit, taken, ticket };
    if (seatAhead) return { outcome: 'no-seat', ticket };

    if (request.session) await trx.insertInto('sessions').values(request.session).execute();
    return { outcome: 'admitted', limit, remaining: limit === null ? null : limit - taken - 1, ticket };
  });
}

/** A profile has one session at a time that will save it. */
async function isProfileInUse(trx: Transaction<Tables>, { accountId, session }: AdmissionRequest) {
  if (!session?.saves_profile || !session.profile_name) return false;
  return hasWriter(trx, accountId, session.profile_name);
}

async function findRepeated(
  trx: Transaction<Tables>,
  { claim, session, now }: AdmissionRequest,
  ticket: number,
): Promise<Admission | undefined> {
  if (!claim || !session) return undefined;
  for (;;) {
    if (await claimKey(trx, claim, session.id, now)) return undefined;
    const key = await findKey(trx, claim);
    // It may have been freed since.
    if (!key) continue;
    if (key.params_hash !== claim.paramsHash) return { outcome: 'other-params' };
    return { outcome: 'repeated', claim, sessionId: key.session_id, ticket };
  }
}

/**
 * When the request `rate` requests ago was made: inside the window, this one is too many. And who was there
 * before: what is free is theirs.
 */
async function lookUp(
  trx: Transaction<Tables>,
  { accountId, now }: AdmissionRequest,
  ticket: number,
  seq: number,
) {
  const row = await trx
    .selectNoFrom((e) => [
      e
        .selectFrom('create_attempts')
        .select('at')
        .where('account_id', '=', accountId)
        .where('seq', '=', seq)
        .as('oldest'),
      e
        .selectFrom('sessions')
        .select((s) => s.fn.countAll<number>().as('taken'))
        .where('account_id', '=', accountId)
        .where('state', 'in', ['STARTING', 'ACTIVE'])
        .as('taken'),
      waitingBefore(e).where('phase', 'in', ['slot', 'seat']).as('ahead'),
      waitingBefore(e).where('phase', '=', 'seat').as('seatAhead'),
    ])
    .executeTakeFirstOrThrow();
  const { oldest, taken, ahead, seatAhead } = row;
  return { oldest, taken: taken ?? 0, ahead: ahead ?? 0, seatAhead: (seatAhead ?? 0) > 0 };

  function waitingBefore(e: ExpressionBuilder<Tables, never>) {
    return e
      .selectFrom('waiting')
      .select((w) => w.fn.countAll<number>().as('count'))
      .where('account_id', '=', accountId)
      .where('ticket', '<', ticket)
      .where('alive_until', '>', now);
  }
}
