import { type Heartbeat, type HeartbeatAnswer, leaseMs } from '@turnpike/contract/host/heartbeat';
import type { Context } from '../seams/context.ts';
import type { HostContext } from './host-context.ts';
import { findHost, storeHeartbeat, takeOverHost } from './host-store.ts';

/**
 * Stores a heartbeat, has its report of sessions settled, and answers what the host is to do. Every step is conditional
 * or safe to repeat, so the next heartbeat completes one that failed in the middle.
 */
export async function recordHeartbeat(
  context: Omit<HostContext, 'hosts' | 'recordingSink' | 'resolveProxy'>,
  beat: Heartbeat,
): Promise<HeartbeatAnswer> {
  const { db, metrics } = context;
  const receivedAt = context.now();
  let host = await storeHeartbeat(db, beat, receivedAt);
  if (!host) {
    const refused = await takeName(context, beat, receivedAt);
    if (refused) {
      if (refused.outcome !== 'stale') metrics.lease('name_taken');
      return refused;
    }
    host = await findHost(db, beat.name);
  }
  metrics.lease('heartbeat');
  const formerHeartbeatAt = host?.former_heartbeat_at ?? null;
  const settled = await context.reports.heartbeat({ beat, receivedAt, formerHeartbeatAt });
  return { outcome: 'accepted', ...settled, draining: host?.state === 'draining', at: context.now() };
}

/** Gives the host's name to this run. Returns undefined if this run has it now. */
async function takeName({ db }: Context, beat: Heartbeat, now: number): Promise<HeartbeatAnswer | undefined> {
  const host = await findHost(db, beat.name);
  if (host?.boot === beat.boot) return { outcome: host.state === 'removed' ? 'removed' : 'stale' };
  // A run that had joined and finds another in its place is the older one.
  if (host && !beat.joining) return { outcome: 'superseded' };
  const taken = await takeOverHost(db, beat, { now, lostBefore: now - leaseMs });
  return taken ? undefined : { outcome: 'name-taken' };
}
