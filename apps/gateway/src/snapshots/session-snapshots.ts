import { ApiError } from '../http/api-error.ts';
import type { LoadedSnapshot, SessionSnapshots } from '../seams/session-snapshots.ts';
import { associatedData } from '../secrets/associated-data.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SnapshotContext } from './snapshot-context.ts';
import { findSealedSnapshot } from './snapshot-store.ts';

type LoadContext = Pick<SnapshotContext, 'db' | 'now' | 'sealer'>;

/** Loads the snapshots that creates begin with. */
export const sessionSnapshots = (context: LoadContext): SessionSnapshots => ({
  load: (accountId, id) => loadSnapshot(context, accountId, id),
});

async function loadSnapshot(
  { db, now, sealer }: LoadContext,
  accountId: string,
  id: string,
): Promise<LoadedSnapshot | undefined> {
  const row = await findSealedSnapshot(db, { accountId, id, now: now() });
  if (!row) return undefined;
  try {
    const archive = sealer.openBytes(row.sealed, associatedData.snapshot(accountId, id));
    return { archive: archive.toString('base64'), params: readStoredJson(row.params) };
  } catch (cause) {
    throw new ApiError('creationFailed', { detail: 'the snapshot cannot be unsealed', cause });
  }
}
