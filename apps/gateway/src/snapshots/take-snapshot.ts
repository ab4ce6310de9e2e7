import type { SnapshotResult } from '@turnpike/contract/host';
import { maxSnapshots, type Snapshot, type SnapshotRequest } from '@turnpike/contract/saved-profile';
import { ApiError } from '../http/api-error.ts';
import { runningIdentities } from '../limits/identity-store.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { newSnapshotId } from '../secrets/new-ids.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow, SnapshotRow } from '../store/tables.ts';
import { presentSnapshot } from './caller-snapshots.ts';
import type { SnapshotContext } from './snapshot-context.ts';
import { keepSnapshot, listSnapshots } from './snapshot-store.ts';

const dayMs = 86_400_000;

/** Takes a snapshot of a running session, which goes on, and keeps it sealed. */
export async function takeSnapshot(
  context: SnapshotContext,
  session: SessionRow,
  { keep, name }: Required<SnapshotRequest>,
): Promise<Snapshot> {
  const { db, now, sealer } = context;
  const { id: sessionId, account_id } = session;
  if (session.state !== 'ACTIVE')
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  // So that no browser is stopped for nothing. What counts is asked again when it is kept.
  if ((await listSnapshots(db, account_id, now())).length >= maxSnapshots)
    throw new ApiError('tooManySnapshots');
  const taken = await askHost(context, session);
  if (!taken) throw new ApiError('sessionEnded');
  if ('notSaved' in taken) throw new ApiError('snapshotFailed', { detail: taken.notSaved });
  const archive = Buffer.from(taken.archive, 'base64');
  const id = newSnapshotId();
  const createdAt = now();
  const row: SnapshotRow = {
    id,
    account_id,
    session_id: sessionId,
    identity: session.identity ?? sessionId,
    name: name || null,
    params: session.params,
    sealed: sealer.sealBytes(archive, associatedData.snapshot(account_id, id)),
    bytes: archive.length,
    tabs: taken.tabs,
    lost: JSON.stringify(taken.lost),
    created_at: createdAt,
    expires_at: createdAt + keep * dayMs,
  };
  if (!(await keepSnapshot(db, row))) throw new ApiError('tooManySnapshots');
  return presentSnapshot(row, await runningIdentities(db, account_id));
}

async function askHost(
  { findHost, snapshotMaxBytes }: SnapshotContext,
  { id, host: name, host_boot: boot }: SessionRow,
): Promise<SnapshotResult | undefined> {
  try {
    const host = await findHost(name, boot);
    return await host?.takeSnapshot(id, snapshotMaxBytes);
  } catch (cause) {
    if (isStoreOutage(cause)) throw cause;
    throw new ApiError('hostSilent', { cause });
  }
}
