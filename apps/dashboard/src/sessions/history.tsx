import { Anchor } from '@mantine/core';
import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Link } from 'react-router';
import { usePages } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { Card } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import { ExportButton } from '../parts/tables/export-button.tsx';
import { bytes, duration } from '../parts/values/figures.ts';
import { Time } from '../parts/values/time.tsx';
import { HistoryFilters, useHistoryFilters } from './history-filters.tsx';
import { RecordingLink } from './recording-link.tsx';
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
  { name: 'State', cell: (session) => <StateCell session={session} />, sortBy: ({ status }) => status },
  { name: 'Device', cell: deviceText, sortBy: deviceText },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, sortBy: ({ createdAt }) => createdAt },
  {
    name: 'Duration',
    numeric: true,
    cell: ({ durationSeconds }) => duration(durationSeconds),
    sortBy: ({ durationSeconds }) => durationSeconds,
  },
  { name: 'Recording', cell: (session) => <RecordingLink session={session} /> },
  {
    name: 'Billed',
    numeric: true,
    cell: ({ endedAt, billedSeconds }) => (endedAt ? duration(billedSeconds) : '–'),
    sortBy: ({ endedAt, billedSeconds }) => (endedAt ? billedSeconds : null),
  },
  {
    name: 'Traffic',
    numeric: true,
    cell: ({ bytesUp, bytesDown }) => bytes(bytesUp + bytesDown),
    sortBy: ({ bytesUp, bytesDown }) => bytesUp + bytesDown,
  },
];

export function History() {
  const { query, filtered } = useHistoryFilters();
  const history = usePages('/sessions', { query: { ...query, limit: 25 } });
  return (
    <Card title="History" about="Every session, newest first" flush>
      <HistoryFilters>
        <ExportButton href={downloadUrl('/sessions/csv', { query })} />
      </HistoryFilters>
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
