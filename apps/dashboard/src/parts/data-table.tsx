import { Button, Table } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading, Problem } from './states.tsx';

export interface Column<Row> {
  name: string;
  cell: (row: Row) => ReactNode;
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
}

/** A table that becomes a list of cards on narrow screens. */
export function DataTable<Row>({ label, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <Table className="data-table" verticalSpacing="sm" horizontalSpacing="md" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          {columns.map(({ name, numeric, actions }) => (
            <Table.Th key={name} className={numeric ? 'numeric' : undefined}>
              {actions ? <span className="visually-hidden">{name}</span> : name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
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
  );
}

interface PagedTableProps<Page, Row> extends Omit<DataTableProps<Row>, 'rows'> {
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
        <DataTable {...table} rows={rows} />
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
