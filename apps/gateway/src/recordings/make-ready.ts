import type { Transaction } from 'kysely';
import type { Tables } from '../store/tables.ts';
import { presentRecording } from './present-recording.ts';
import type { RecordingContext } from './recording-context.ts';
import { setReady } from './recording-store.ts';

/** Makes a recording ready and tells the account, in a transaction that holds the account's lock. */
export async function makeReady(
  { outbox, now, recordingLimits }: Pick<RecordingContext, 'outbox' | 'now' | 'recordingLimits'>,
  trx: Transaction<Tables>,
  { sessionId, accountId }: { sessionId: string; accountId: string },
): Promise<void> {
  const at = now();
  const row = await setReady(trx, sessionId, { endedAt: at, expiresAt: at + recordingLimits.keepMs });
  if (row) await outbox(trx, { kind: 'recorded', accountId, at, recording: presentRecording(row) });
}
