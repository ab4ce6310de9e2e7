import { Anchor } from '@mantine/core';
import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Link } from 'react-router';
import { usePages } from '../api/queries.ts';
import { type Column, PagedTable } from '../parts/data-table.tsx';
import { bytes, duration } from '../parts/figures.ts';
import { Card } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { HistoryFilters, useHistoryFilters } from './history-filters.tsx';
import { deviceText } from './session-text.ts';
import { StateCell } from './state-cell.tsx';

const columns: readonly Column<SessionRowView>[] = [
  {
    name: 'Session',
    cell: ({ browserId }) => (
      <Anchor component={Link} to={`/sessions/${browserId}`} className="mono">
        {browserId}
      </Anchor>
    ),
  },
  { name: 'State', cell: (session) => <StateCell session={session} /> },
  { name: 'Device', cell: deviceText },
  { name: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Duration', numeric: true, cell: ({ durationSeconds }) => duration(durationSeconds) },
  {
    name: 'Billed',
    numeric: true,
    cell: ({ endedAt, billedSeconds }) => (endedAt ? duration(billedSeconds) : '–'),
  },
  { name: 'Traffic', numeric: true, cell: ({ bytesUp, bytesDown }) => bytes(bytesUp + bytesDown) },
];

export function History() {
  const { query, filtered } = useHistoryFilters();
  const history = usePages('/sessions', { query: { ...query, limit: 25 } });
  return (
    <Card title="History" about="Every session, newest first" flush>
      <HistoryFilters />
      <PagedTable
        label="History of sessions"
        query={history}
        rowsOf={({ sessions }) => sessions}
        columns={columns}
        rowKey={({ browserId }) => browserId}
        empty={
          filtered ? (
            <Empty icon="search" title="No session matches">
              Change the filters to see others.
            </Empty>
          ) : (
            <Empty icon="sessions" title="No sessions yet">
              Sessions stay here after they end.
            </Empty>
          )
        }
      />
    </Card>
  );
}
