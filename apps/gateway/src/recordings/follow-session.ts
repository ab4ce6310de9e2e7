import type { SessionRecord } from '@turnpike/contract/session';
import type { Transaction } from 'kysely';
import type { SessionFact } from '../seams/outbox.ts';
import type { Tables } from '../store/tables.ts';
import { insertRecording, setEnd } from './recording-store.ts';

const isRecorded = ({ browserParams }: SessionRecord): boolean =>
  (browserParams as { record?: unknown }).record === true;

/** Begins and ends the recording of a session, in the transactions that begin and end the session. */
export async function followSession(
  trx: Transaction<Tables>,
  fact: SessionFact,
  keepMs: number,
): Promise<void> {
  if ((fact.kind !== 'started' && fact.kind !== 'ended') || !isRecorded(fact.record)) return;
  const { at, accountId, record } = fact;
  const expiresAt = at + keepMs;
  if (fact.kind === 'started')
    await insertRecording(trx, {
      session_id: record.browserId,
      account_id: accountId,
      started_at: at,
      expires_at: expiresAt,
    });
  else await setEnd(trx, record.browserId, { endedAt: at, expiresAt });
}
