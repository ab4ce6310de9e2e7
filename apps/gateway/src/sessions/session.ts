import type { EndCause } from '@turnpike/contract/host';
import type { EndReason, EndStatus } from '@turnpike/contract/session';

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
