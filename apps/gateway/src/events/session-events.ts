import type { EventType } from '@turnpike/contract/events';
import type { EndStatus } from '@turnpike/contract/session';
import type { Transaction } from 'kysely';
import { presentRecord } from '../sessions/present-session.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import { recordEvent } from './event-store.ts';

const endType: Record<EndStatus, EventType> = {
  CLOSED: 'session.closed',
  EXPIRED: 'session.expired',
  DEAD: 'session.dead',
};

/** What an event says of a session: its permanent record. It has no secret: receivers are other machines. */
function recordSessionEvent(
  trx: Transaction<Tables>,
  type: EventType,
  session: SessionRow,
  at: number,
): Promise<void> {
  const data = presentRecord(session, at);
  return recordEvent(trx, { accountId: session.account_id, type, sessionId: session.id, at, data });
}

export function recordStarted(trx: Transaction<Tables>, session: SessionRow): Promise<void> {
  return recordSessionEvent(trx, 'session.started', session, session.created_at);
}

export function recordEnded(
  trx: Transaction<Tables>,
  session: SessionRow,
  { status, endedAt }: { status: EndStatus; endedAt: number },
): Promise<void> {
  return recordSessionEvent(trx, endType[status], session, endedAt);
}

const warnShare = 0.8;

/** Tells when a bill takes an account over four fifths of its hours, and over all of them. */
export async function recordUsage(
  trx: Transaction<Tables>,
  account: { id: string; browser_seconds: number; browser_seconds_cap: number | null },
  billed: number,
  at: number,
): Promise<void> {
  const { browser_seconds: after, browser_seconds_cap: cap } = account;
  if (cap === null) return;
  const before = after - billed;
  const passed = (mark: number): boolean => before < mark && after >= mark;
  const data = { browserSeconds: after, browserSecondsCap: cap, remainingSeconds: Math.max(0, cap - after) };
  const tell = (type: EventType) =>
    recordEvent(trx, { accountId: account.id, type, sessionId: null, at, data });
  if (passed(cap * warnShare)) await tell('usage.80');
  if (passed(cap)) await tell('usage.cap_reached');
}
