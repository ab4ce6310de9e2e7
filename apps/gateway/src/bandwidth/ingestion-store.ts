import { randomBytes } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import type { Database } from '../store/database.ts';
import type { IngestionBatchTable, Tables } from '../store/tables.ts';
import { behind, type PageRequest } from '../store/time-page.ts';

export type IngestionBatchRow = Selectable<IngestionBatchTable>;

export interface RefusedLine {
  /** Counted from 1, in the order sent. */
  line: number;
  id?: string;
  reason: string;
}

export interface IngestResult {
  new: number;
  repeated: number;
  refused: number;
  errors: RefusedLine[];
}

const keptMs = 90 * 86_400_000;
const keptErrors = 20;

export interface Batch extends IngestResult {
  at: number;
  source: string;
  bytes: bigint;
}

/** Stores the result of a batch, and deletes old ones. */
export async function recordBatch(
  trx: Transaction<Tables>,
  { at, source, new: added, repeated, refused, bytes, errors }: Batch,
): Promise<void> {
  const id = `batch_${randomBytes(8).toString('hex')}`;
  const kept = JSON.stringify(errors.slice(0, keptErrors));
  await trx
    .insertInto('ingestion_batches')
    .values({ id, at, source, new: added, repeated, refused, bytes: `${bytes}`, errors: kept })
    .execute();
  await trx
    .deleteFrom('ingestion_batches')
    .where('at', '<', at - keptMs)
    .execute();
}

export function listBatches(
  db: Database,
  { after, limit, refused }: PageRequest & { refused: boolean },
): Promise<IngestionBatchRow[]> {
  let query = db.selectFrom('ingestion_batches').selectAll();
  if (refused) query = query.where('refused', '>', 0);
  if (after) query = query.where(behind('at', 'id', after));
  return query.orderBy('at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}
