import { JsonTooDeepError } from '@turnpike/process/bounded-json';
import { Slices } from '@turnpike/process/work/slices';
import { decodeUtf8, isObject } from '../http/json-body.ts';
import type { Context } from '../seams/context.ts';
import { findAccountIds } from './account-lookup-store.ts';
import { addBytes, claimRecordIds, maxRowBytes, overflowing, releaseRecordIds } from './bandwidth-store.ts';
import { type IngestResult, type RefusedLine, recordBatch } from './ingestion-store.ts';
import { parseExactly, parseUsageRecord, type UsageRecord } from './usage-record.ts';

interface NumberedRecord {
  line: number;
  record: UsageRecord;
}

type OwnedRecord = UsageRecord & { accountId: string; line: number };

/** Splits a JSON list, or NDJSON. Throws on a list that is not JSON, and on bytes that are not text. */
export function splitBatch(bytes: Uint8Array): (() => unknown)[] {
  const text = decodeUtf8(bytes);
  const whole = /^\s*\[/.test(text) ? parseExactly(text) : undefined;
  if (Array.isArray(whole)) return whole.map((value) => () => value);
  const lines = text.split('\n').map((line) => line.trim());
  // A trailing newline is not a line.
  return lines.flatMap((line) => (line === '' ? [] : [() => parseExactly(line)]));
}

/**
 * Counts the new records of a batch from `source`, and stores the result. Ids and sums are written in one transaction:
 * a batch that is cut off counts nothing, and one sent again counts only what had not counted yet.
 */
export async function ingestUsage(
  { db, now }: Pick<Context, 'db' | 'now'>,
  values: readonly (() => unknown)[],
  source: string,
): Promise<IngestResult> {
  const errors: RefusedLine[] = [];
  const records = await parseLines(values, now(), errors);
  const accountIds = await findAccountIds(
    db,
    records.map(({ record }) => record.owner),
  );
  const owned: OwnedRecord[] = [];
  for (const { line, record } of records) {
    const accountId = accountIds.of(record.owner);
    if (accountId) owned.push({ ...record, accountId, line });
    else errors.push({ line, id: record.id, reason: 'there is no such account' });
  }
  return db.transaction().execute(async (trx) => {
    const fresh = await claimRecordIds(
      trx,
      owned.map(({ id }) => id),
    );
    // If an id occurs twice in a batch, the first counts.
    const unique = owned.filter(({ id }) => fresh.delete(id));
    const tooMuch = await overflowing(trx, unique);
    await releaseRecordIds(
      trx,
      [...tooMuch].map(({ id }) => id),
    );
    const counted = unique.filter((record) => !tooMuch.has(record));
    await addBytes(trx, counted);
    const reason = `the sum of its day would be above ${maxRowBytes}`;
    const refused = [...errors, ...[...tooMuch].map(({ line, id }) => ({ line, id, reason }))];
    const result = {
      new: counted.length,
      repeated: owned.length - unique.length,
      refused: refused.length,
      errors: refused.sort((a, b) => a.line - b.line),
    };
    const bytes = counted.reduce((sum, record) => sum + record.bytes, 0n);
    if (values.length > 0) await recordBatch(trx, { ...result, source, bytes, at: now() });
    return result;
  });
}

async function parseLines(
  values: readonly (() => unknown)[],
  now: number,
  errors: RefusedLine[],
): Promise<NumberedRecord[]> {
  const slices = new Slices();
  const records: NumberedRecord[] = [];
  for (const [index, value] of values.entries()) {
    const line = index + 1;
    const parsed = parseLine(value, now);
    if (parsed.ok) records.push({ line, record: parsed.record });
    else errors.push({ line, ...(parsed.id === undefined ? {} : { id: parsed.id }), reason: parsed.reason });
    await slices.pause();
  }
  return records;
}

function parseLine(value: () => unknown, now: number): ReturnType<typeof parseUsageRecord> {
  let parsed: unknown;
  try {
    parsed = value();
  } catch (error) {
    const reason = error instanceof JsonTooDeepError ? 'is nested too deep' : 'is not JSON';
    return { ok: false, id: undefined, reason };
  }
  return parseUsageRecord(isObject(parsed) ? parsed : undefined, now);
}
