import type { Readable } from 'node:stream';
import { Slices } from '@turnpike/process/work/slices';
import type { FastifyReply } from 'fastify';
import { streamOf } from './part-streams.ts';

export type CsvValue = string | number | boolean | null;

type CsvPage = readonly (readonly CsvValue[])[];

/** Rows that an export reads from the store at a time; as text, as it would come in a query. */
export const csvPageSize = '200';

/** Sends rows as a CSV file, page by page as the client reads them. */
export function sendCsvRows(
  reply: FastifyReply,
  name: string,
  header: readonly string[],
  pages: AsyncIterable<CsvPage> | Iterable<CsvPage>,
): FastifyReply {
  return sendCsv(reply, { name, text: streamOf(csvText(header, pages)) });
}

export function sendCsv(
  reply: FastifyReply,
  { name, text }: { name: string; text: string | Readable },
): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(text);
}

async function* csvText(
  header: readonly string[],
  pages: AsyncIterable<CsvPage> | Iterable<CsvPage>,
): AsyncGenerator<string> {
  const slices = new Slices();
  yield csvLine(header);
  for await (const rows of pages) {
    if (rows.length > 0) yield rows.map(csvLine).join('');
    await slices.pause();
  }
}

/** One line by RFC 4180. */
export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvField).join(',')}\r\n`;

function csvField(value: CsvValue): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  // Spreadsheets run text that begins like a formula; customers choose names and e-mail addresses.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** All pages of a list, one after the other. */
export async function* allPages<Row>(
  readPage: (cursor: string | undefined) => Promise<{ page: readonly Row[]; nextCursor: string | null }>,
): AsyncGenerator<readonly Row[]> {
  let cursor: string | undefined;
  do {
    const { page, nextCursor } = await readPage(cursor);
    yield page;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** Whether an Accept header names CSV, and prefers it to JSON. */
export function wantsCsv(accept: string | undefined): boolean {
  const weights = new Map(
    (accept ?? '').split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [type, quality === undefined ? 1 : Number(quality) || 0];
    }),
  );
  const csv = weights.get('text/csv') ?? 0;
  return csv > 0 && csv >= (weights.get('application/json') ?? 0);
}
