import type { EndReason } from '@turnpike/contract/session';

/** An append that takes longer is given up, so that one in progress when a recording is closed or deleted ends before. */
export const appendTimeoutMs = 30_000;

/** Ends after which a session's host sends nothing for long: it is lost, or stops. */
export const endsOfHosts: readonly EndReason[] = ['host_lost', 'host_stopped'];

/** How long after the end of a session chunks of its recording are taken. A host tries for ten minutes to send them. */
export const takenMs = { afterHost: 60_000, otherwise: 11 * 60_000 } as const;

/** How long after the end a recording without a last chunk is closed: when no chunk is taken, or being stored, any more. */
export const closedMs = {
  afterHost: takenMs.afterHost + appendTimeoutMs,
  otherwise: takenMs.otherwise + appendTimeoutMs,
} as const;
