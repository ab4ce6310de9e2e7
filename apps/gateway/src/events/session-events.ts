import type { EventType } from '@turnpike/contract/events';
import type { EndStatus } from '@turnpike/contract/session';
import type { Transaction } from 'kysely';
import type { SessionFact } from '../seams/outbox.ts';
import type { Tables } from '../store/tables.ts';
import { recordEvent } from './event-store.ts';

const endType: Record<EndStatus, EventType> = {
  CLOSED: 'session.closed',
  EXPIRED: 'session.expired',
  DEAD: 'session.dead',
};

/** Share of the browser hours at which an account is warned. */
const warnShare = 0.8;

/**
 * Writes the events of what happened to a session, a crawl or a proxy. A session's data is its permanent record, which
 * contains no secret: receivers are other machines.
 */
export async function recordSessionFact(trx: Transaction<Tables>, fact: SessionFact): Promise<void> {
  if (fact.kind === 'billed') return recordUsage(trx, fact);
  if (fact.kind === 'recorded') return recordRecording(trx, fact);
  if (fact.kind === 'proxy' || fact.kind === 'session_proxy') return recordProxy(trx, fact);
  const { accountId, at } = fact;
  if (fact.kind === 'crawl')
    return recordEvent(trx, { accountId, type: fact.type, sessionId: null, at, data: fact.crawl });
  const { record } = fact;
  const type = typeOf(fact);
  await recordEvent(trx, { accountId, type, sessionId: record.browserId, at, data: record });
}

function typeOf(fact: Extract<SessionFact, { kind: 'started' | 'standby' | 'ended' }>): EventType {
  if (fact.kind === 'started') return 'session.started';
  return fact.kind === 'standby' ? fact.type : endType[fact.status];
}

function recordRecording(
  trx: Transaction<Tables>,
  { accountId, at, recording }: Extract<SessionFact, { kind: 'recorded' }>,
): Promise<void> {
  const { sessionId } = recording;
  // Events about a session have its id under this name.
  const data = { browserId: sessionId, ...recording };
  return recordEvent(trx, { accountId, type: 'recording.ready', sessionId, at, data });
}

/** A proxy's label has no password. */
function recordProxy(
  trx: Transaction<Tables>,
  fact: Extract<SessionFact, { kind: 'proxy' | 'session_proxy' }>,
): Promise<void> {
  const { accountId, type, at, data } = fact;
  if (fact.kind === 'proxy') return recordEvent(trx, { accountId, type, sessionId: null, at, data });
  const { sessionId } = fact;
  return recordEvent(trx, { accountId, type, sessionId, at, data: { browserId: sessionId, ...data } });
}

/** Writes an event when a bill takes an account over four fifths of its hours, and one when it takes it over all. */
async function recordUsage(
  trx: Transaction<Tables>,
  { account, billedSeconds, at }: Extract<SessionFact, { kind: 'billed' }>,
): Promise<void> {
  const { id: accountId, browser_seconds: after, browser_seconds_cap: cap } = account;
  if (cap === null) return;
  const before = after - billedSeconds;
  const passed = (mark: number): boolean => before < mark && after >= mark;
  const data = { browserSeconds: after, browserSecondsCap: cap, remainingSeconds: Math.max(0, cap - after) };
  const record = (type: EventType) => recordEvent(trx, { accountId, type, sessionId: null, at, data });
  if (passed(cap * warnShare)) await record('usage.80');
  if (passed(cap)) await record('usage.cap_reached');
}
