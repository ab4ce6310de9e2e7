import { createHash } from 'node:crypto';
import { parseProxyUser } from '@turnpike/contract/proxy-user';
import { parseExactly } from '@turnpike/gateway/administration';

export const usageFormats = ['ndjson', 'csv', 'squid'] as const;
export type UsageFormat = (typeof usageFormats)[number];

/** Parses a line of a file into a usage record. Ingestion validates the record. */
export type LineReader = (line: string) => unknown;

export function lineReader(format: UsageFormat): LineReader {
  if (format === 'ndjson') return parseExactly;
  return format === 'csv' ? csvReader() : squidReader();
}

/**
 * Generates ids for lines without one: a hash of the line, and a number where the same line comes again. So the same
 * file, or a longer one of the same log, counts nothing twice.
 */
function contentIds(): (line: string) => string {
  const seen = new Map<string, number>();
  return (line) => {
    const hash = createHash('sha256').update(line).digest('base64url');
    const times = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, times);
    return times === 1 ? `line:${hash}` : `line:${hash}:${times}`;
  };
}

/** The first line names the columns: id, account or proxyUser, product, country, bytes, at. */
function csvReader(): LineReader {
  const idOf = contentIds();
  let columns: string[] | undefined;
  return (line) => {
    const cells = csvCells(line);
    if (!columns) {
      columns = cells.map((cell) => cell.trim());
      return undefined;
    }
    const filled = columns.flatMap((column, i) =>
      cells[i] === undefined || cells[i] === '' ? [] : [[column, cells[i]]],
    );
    return { id: idOf(line), ...Object.fromEntries(filled) };
  };
}

/** RFC 4180, but for line ends inside quotes. */
function csvCells(line: string): string[] {
  const cells: string[] = [];
  for (let start = 0; start <= line.length; ) {
    const close = line[start] === '"' ? closingQuote(line, start) : -1;
    const isQuoted = close !== -1 && (close + 1 === line.length || line[close + 1] === ',');
    const comma = isQuoted ? close + 1 : line.indexOf(',', start);
    const end = comma === -1 ? line.length : comma;
    cells.push(isQuoted ? line.slice(start + 1, close).replaceAll('""', '"') : line.slice(start, end));
    start = end + 1;
  }
  return cells;
}

/** Where the quote is that closes the one at `start`; two in a row are one of the text. -1: there is none. */
function closingQuote(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** Squid's native access log; the user is a proxy user name with its options. */
function squidReader(): LineReader {
  const idOf = contentIds();
  return (line) => {
    const [time = '', , , , bytes, , , user = '-'] = line.split(/ +/);
    if (user === '-') throw new Error('no user in this line');
    const parsed = parseProxyUser(user);
    if (!parsed.ok) throw new Error(parsed.rule);
    const { user: proxyUser, product, country } = parsed.value;
    return { id: idOf(line), proxyUser, product, country, bytes, at: Math.round(Number(time) * 1000) };
  };
}
