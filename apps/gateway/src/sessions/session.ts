import type { EndCause } from '@turnpike/contract/host';
import type { EndReason, EndStatus } from '@turnpike/contract/session';
import type { SessionRow } from '../store/tables.ts';

/** Rules of a session that need no store: states, lifetime, retention, billing. */

export const minBilledSeconds = 30;
const readableAfterLifetimeMs = 3_600_000;

/** Returns the times of a session that starts now. */
export function sessionTimes(now: number, lifetime: number) {
  const expiresAt = now + lifetime * 1000;
  return { created_at: now, expires_at: expiresAt, readable_until: expiresAt + readableAfterLifetimeMs };
}

/** Counts a started second as a whole one. */
export function durationSeconds(createdAt: number, endedAt: number): number {
  return Math.ceil(Math.max(0, endedAt - createdAt) / 1000);
}

export function billedSeconds(createdAt: number, endedAt: number): number {
  return Math.max(minBilledSeconds, durationSeconds(createdAt, endedAt));
}

type StandbyColumns = Pick<SessionRow, 'created_at' | 'standby_ms' | 'standby_since'>;

/** How long a session has been asleep until a time, the standby that goes on included. */
export function standbyMs({ created_at, standby_ms, standby_since }: StandbyColumns, at: number): number {
  const goesOn = standby_since === null ? 0 : Math.max(0, at - standby_since);
  return Math.min(standby_ms + goesOn, Math.max(0, at - created_at));
}

/** The same as `billedSeconds` for a session that slept: a millisecond asleep costs so many thousandths of one awake. */
export function billedWithStandby(
  createdAt: number,
  endedAt: number,
  { asleepMs, permille }: { asleepMs: number; permille: number },
): number {
  const awakeMs = Math.max(0, endedAt - createdAt - asleepMs);
  return Math.max(minBilledSeconds, Math.ceil((awakeMs * 1000 + asleepMs * permille) / 1_000_000));
}

export const statusOfCause: Record<EndCause, EndStatus> = {
  closed: 'CLOSED',
  expired: 'EXPIRED',
  gone: 'DEAD',
};

/** The reason of an end for which the host gives only the cause. */
export const reasonOfCause: Record<EndCause, EndReason> = {
  closed: 'client_close',
  expired: 'lifetime',
  gone: 'browser_crashed',
};

/**
 * Returns when a session counts as ended. Reports arrive late: an expired session ran for its whole lifetime, and no
 * session ended before it started or ran past its lifetime. An abandoned session is billed only up to the moment its
 * client disconnected.
 */
export function endOfSession(
  session: { created_at: number; expires_at: number; abandoned_at?: number | null },
  status: EndStatus,
  reportedAt: number,
): number {
  const latest = Math.min(session.abandoned_at ?? Number.POSITIVE_INFINITY, session.expires_at);
  const endedAt = status === 'EXPIRED' ? latest : Math.min(reportedAt, latest);
  return Math.max(endedAt, session.created_at);
}
