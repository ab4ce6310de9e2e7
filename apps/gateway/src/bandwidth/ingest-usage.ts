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

/** A batch of 32 MiB has fewer, if they are records. */
const maxRecords = 500_000;

/** How many of the refused records an answer describes. It counts all. */
const maxErrors = 1000;

export class TooManyRecordsError extends Error {
  constructor() {
    super(`A batch has at most ${maxRecords} records. Send the others in another batch.`);
  }
}

/** Splits a JSON list, or NDJSON. Throws on a list that is not JSON, on bytes that are not text, and on too many. */
export function splitBatch(bytes: Uint8Array): (() => unknown)[] {
  const text = decodeUtf8(bytes);
  const whole = /^\s*\[/.test(text) ? parseExactly(text) : undefined;
  const list = Array.isArray(whole) ? whole : undefined;
  if ((list?.length ?? linesOf(text)) > maxRecords) throw new TooManyRecordsError();
  if (list) return list.map((value) => () => value);
  const lines = text.split('\n').map((line) => line.trim());
  // A trailing newline is not a line.
  return lines.flatMap((line) => (line === '' ? [] : [() => parseExactly(line)]));
}

/** Counts without making a list. */
function linesOf(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
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
  const malformed = new RefusedLines();
  const records = await parseLines(values, now(), malformed);
  const accountIds = await findAccountIds(
    db,
    records.map(({ record }) => record.owner),
  );
  const unknown = new RefusedLines();
  const owned: OwnedRecord[] = [];
  for (const { line, record } of records) {
    const accountId = accountIds.of(record.owner);
    if (accountId) owned.push({ ...record, accountId, line });
    else unknown.add({ line, id: record.id, reason: 'there is no such account' });
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
    const overflown = new RefusedLines();
    for (const { line, id } of tooMuch) overflown.add({ line, id, reason });
    const refused = [malformed, unknown, overflown];
    const result = {
      new: counted.length,
      repeated: owned.length - unique.length,
      refused: refused.reduce((sum, { count }) => sum + count, 0),
      errors: refused
        .flatMap(({ first }) => first)
        .sort((a, b) => a.line - b.line)
        .slice(0, maxErrors),
    };
    const bytes = counted.reduce((sum, record) => sum + record.bytes, 0n);
    if (values.length > 0) await recordBatch(trx, { ...result, source, bytes, at: now() });
    return result;
  });
}

/** Records that are refused for the same reason, in the order sent. */
class RefusedLines {
  readonly first: RefusedLine[] = [];
  count = 0;

  add(line: RefusedLine): void {
    this.count += 1;
    if (this.first.length < maxErrors) this.first.push(line);
  }
}

async function parseLines(
  values: readonly (() => unknown)[],
  now: number,
  refused: RefusedLines,
): Promise<NumberedRecord[]> {
  const slices = new Slices();
  const records: NumberedRecord[] = [];
  for (const [index, value] of values.entries()) {
    const line = index + 1;
    const parsed = parseLine(value, now);
    if (parsed.ok) records.push({ line, record: parsed.record });
    else refused.add({ line, ...(parsed.id === undefined ? {} : { id: parsed.id }), reason: parsed.reason });
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
