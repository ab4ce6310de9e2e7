import type { MeterKey } from '@turnpike/contract/bandwidth';
import type { Transaction } from 'kysely';
import type { Tables } from '../store/tables.ts';

export interface CountedBytes extends MeterKey {
  bytes: bigint;
}

/** Adds bytes to the bandwidth statistics, in the transaction that records where they come from. */
export type CountBytes = (trx: Transaction<Tables>, counts: readonly CountedBytes[]) => Promise<void>;
