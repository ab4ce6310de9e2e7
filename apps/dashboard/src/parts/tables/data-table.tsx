import { Button, Table, UnstyledButton } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Loading, Problem } from '../states.tsx';
import { counted } from '../values/figures.ts';
import { nextOrder, type Order, sortRows } from './sort-rows.ts';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
  /** The value to sort by; without it the column does not sort. */
  sortBy?: (row: Row) => string | number | null;
  /** Aligned right, with digits of equal width. */
  numeric?: boolean;
  /** Buttons: the heading is for screen readers only. */
  actions?: boolean;
}

interface DataTableProps<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
  /** Shown below the table while it is sorted. */
  sortNote?: ReactNode;
}

/** A table that becomes a list of cards on narrow screens. Headings sort the rows that are loaded. */
export function DataTable<Row>({ label, columns, rows, rowKey, empty, sortNote }: DataTableProps<Row>) {
  const [order, setOrder] = useState<Order>();
  const sortBy = columns.find(({ name }) => name === order?.column)?.sortBy;
  const sorted = order && sortBy ? sortRows(rows, sortBy, order.descending) : rows;
  if (empty && rows.length === 0) return empty;
  return (
    <>
      <Table className="data-table" verticalSpacing="sm" horizontalSpacing="md" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Heading key={column.name} column={column} order={order} onSort={setOrder} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map((row) => (
            <Table.Tr key={rowKey(row)}>
              {columns.map(({ name, cell, numeric, actions }) => (
                <Table.Td
                  key={name}
                  data-label={actions ? undefined : name}
                  className={actions ? 'actions' : numeric ? 'numeric' : undefined}
                >
                  <div className="cell">{cell(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {sortBy && sortNote}
    </>
  );
}

interface HeadingProps<Row> {
  column: Column<Row>;
  order: Order | undefined;
  onSort: (order: Order | undefined) => void;
}

function Heading<Row>({ column: { name, sortBy, numeric, actions }, order, onSort }: HeadingProps<Row>) {
  const sorted = order?.column === name ? order : undefined;
  return (
    <Table.Th
      className={numeric ? 'numeric' : undefined}
      aria-sort={sorted && (sorted.descending ? 'descending' : 'ascending')}
    >
      {actions ? (
        <span className="visually-hidden">{name}</span>
      ) : sortBy ? (
        <UnstyledButton
          className="sort-button"
          onClick={() => onSort(nextOrder(order, name, numeric ?? false))}
        >
          {name}
          <span aria-hidden="true">{sorted ? (sorted.descending ? ' ↓' : ' ↑') : ''}</span>
        </UnstyledButton>
      ) : (
        name
      )}
    </Table.Th>
  );
}

interface PagedTableProps<Page, Row> extends Omit<DataTableProps<Row>, 'rows' | 'sortNote'> {
  query: UseInfiniteQueryResult<InfiniteData<Page>>;
  rowsOf: (page: Page) => readonly Row[];
  empty: ReactNode;
}

/** A table that loads page by page. */
export function PagedTable<Page, Row>({ query, rowsOf, empty, ...table }: PagedTableProps<Page, Row>) {
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  if (!data) {
    return (
      <div className="card-inset">
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading lines={6} />}
      </div>
    );
  }
  const rows = data.pages.flatMap((page) => rowsOf(page));
  // A search may find its first match on a later page.
  if (rows.length === 0 && !hasNextPage) return empty;
  return (
    <>
      {error && (
        <div className="card-inset">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {rows.length > 0 ? (
        <DataTable
          {...table}
          rows={rows}
          sortNote={
            hasNextPage && (
              <p className="sort-note">
                Sorted among the {counted(rows.length, 'row')} shown. Select “Show more” to include older
                ones.
              </p>
            )
          }
        />
      ) : (
        <div className="card-inset">No matches so far. Select “Show more” to search older entries.</div>
      )}
      {hasNextPage && (
        <div className="more">
          <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}
