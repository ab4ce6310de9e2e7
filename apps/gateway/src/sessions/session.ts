import type { EndCause } from '@turnpike/contract/host';
import type { EndReason, EndStatus } from '@turnpike/contract/session';

/** The rules of a session's life that need no store: states, lifetime, retention, billing. */

export const minBilledSeconds = 30;
const readableAfterLifetimeMs = 3_600_000;

/** The times of a session that begins its life now. */
export function sessionTimes(now: number, lifetime: number) {
  const expiresAt = now + lifetime * 1000;
  return { created_at: now, expires_at: expiresAt, readable_until: expiresAt + readableAfterLifetimeMs };
}

/** A started second counts. */
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

/** Where a host says no more than the cause. */
export const reasonOfCause: Record<EndCause, EndReason> = {
  closed: 'client_close',
  expired: 'lifetime',
  gone: 'browser_crashed',
};

/**
 * The moment a session counts as ended. Reports are late by what they took on their way: an expired session ran
 * its whole lifetime, and none ended before it began or runs past its lifetime. One that nobody had is not billed
 * past the moment its client hung up.
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
