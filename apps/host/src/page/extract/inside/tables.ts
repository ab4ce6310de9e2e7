/** Nothing, where a cell above or to the left reaches. */
export type TableCell = Element | undefined;

export interface TableRows {
  caption: Element | undefined;
  /** Rows of equal length. */
  rows: TableCell[][];
  /** Whether the first row is a header. */
  header: boolean;
}

const maxColumns = 200;
const maxCells = 200_000;

/** The cells of a table of data, or nothing if the table is there for the layout. */
export function tableRows(table: HTMLTableElement): TableRows | undefined {
  const elements = [...table.rows].filter((row) => row.cells.length > 0);
  if (isLayout(table, elements)) return undefined;
  const rows: TableCell[][] = [];
  /** For each column: the rows that a cell above still reaches, and that cell. */
  const above: { rows: number; cell: Element }[] = [];
  let width = 0;
  let cells = 0;
  for (const element of elements) {
    const row: TableCell[] = [];
    for (const cell of element.cells) {
      while ((above[row.length]?.rows ?? 0) > 0) takeFromAbove(above, row);
      const columns = span(cell.getAttribute('colspan'), maxColumns - row.length);
      const rowsBelow = span(cell.getAttribute('rowspan'), elements.length) - 1;
      for (let index = 0; index < columns; index++) {
        if (rowsBelow > 0) above[row.length] = { rows: rowsBelow, cell };
        row.push(index === 0 ? cell : undefined);
      }
      if (row.length >= maxColumns) break;
    }
    while ((above[row.length]?.rows ?? 0) > 0 && row.length < maxColumns) takeFromAbove(above, row);
    width = Math.max(width, row.length);
    cells += row.length;
    rows.push(row);
    if (cells > maxCells) break;
  }
  for (const row of rows) while (row.length < width) row.push(undefined);
  const first = elements[0];
  const header =
    first?.parentElement?.localName === 'thead' ||
    [...(first?.cells ?? [])].every((cell) => cell.localName === 'th');
  return { caption: table.caption ?? undefined, rows, header };
}

/** The value is repeated in each row that the cell reaches: a row then says by itself what it is about. */
function takeFromAbove(above: { rows: number; cell: Element }[], row: TableCell[]): void {
  const from = above[row.length] as { rows: number; cell: Element };
  from.rows--;
  const repeats = row.length > 0 && row[row.length - 1] === from.cell;
  row.push(repeats ? undefined : from.cell);
}

function span(value: string | null, most: number): number {
  const number = Math.trunc(Number(value ?? 1));
  return Math.max(1, Math.min(number || 1, most));
}

function isLayout(table: HTMLTableElement, rows: readonly HTMLTableRowElement[]): boolean {
  if (/^(?:presentation|none)$/.test(table.getAttribute('role') ?? '')) return true;
  if (table.querySelector('table, h1, h2, h3, h4, pre, form, article, section')) return true;
  if (rows.length === 0) return true;
  if (table.querySelector('th, caption, thead')) return false;
  if (rows.every((row) => row.cells.length <= 1)) return true;
  // Long texts in paragraphs are no data.
  return rows.some((row) => [...row.cells].some((cell) => cell.querySelectorAll('p').length > 3));
}
