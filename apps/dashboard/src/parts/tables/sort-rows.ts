export interface Order {
  column: string;
  descending: boolean;
}

type SortValue = string | number | null;

/** Sorts by a value; rows without one come last either way. */
export function sortRows<Row>(
  rows: readonly Row[],
  value: (row: Row) => SortValue,
  descending: boolean,
): readonly Row[] {
  const direction = descending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [value(a), value(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return direction * compare(first, second);
  });
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}

/** The order after a click on a heading: first way, other way, as it came. Numbers begin with the largest. */
export function nextOrder(order: Order | undefined, column: string, numeric: boolean): Order | undefined {
  if (order?.column !== column) return { column, descending: numeric };
  return order.descending === numeric ? { column, descending: !numeric } : undefined;
}
