import type { CsvValue } from '../http/answers/csv.ts';
import type { SessionRow } from '../store/tables.ts';
import { presentRow } from './present-session-page.ts';

export const sessionCsvHeader = [
  'session',
  'status',
  'created',
  'ended',
  'end_reason',
  'duration_seconds',
  'billed_seconds',
  'bytes_up',
  'bytes_down',
  'os',
  'exit_country',
  'proxy',
  'metadata',
  'name',
  'tags',
];

/** Sessions as lines of a CSV file. The proxy's password is masked in the store already. */
export async function* sessionCsvRows(
  pages: AsyncIterable<readonly SessionRow[]>,
  now: () => number,
): AsyncGenerator<CsvValue[][]> {
  for await (const page of pages) yield page.map((row) => sessionCsvRow(row, now()));
}

export function sessionCsvRow(row: SessionRow, now: number): CsvValue[] {
  const session = presentRow(row, now);
  const { os, proxy } = session.browserParams as { os?: string; proxy?: string };
  return [
    session.browserId,
    session.status,
    session.createdAt,
    session.endedAt,
    session.endReason,
    session.durationSeconds,
    session.billedSeconds,
    session.bytesUp,
    session.bytesDown,
    os ?? null,
    session.exitCountry,
    proxy ?? null,
    JSON.stringify(session.metadata),
    session.name ?? null,
    session.tags?.join(' ') ?? null,
  ];
}
