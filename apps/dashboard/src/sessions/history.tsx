import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { usePages } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { Card } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import { ExportButton } from '../parts/tables/export-button.tsx';
import { duration } from '../parts/values/figures.ts';
import { HistoryFilters, useHistoryFilters } from './history-filters.tsx';
import { RecordingLink } from './recording-link.tsx';
import { createdColumn, durationColumn, idColumn, stateColumn, trafficColumn } from './session-columns.tsx';
import { deviceText } from './session-text.ts';

const columns: readonly Column<SessionRowView>[] = [
  idColumn,
  stateColumn,
  { name: 'Device', cell: deviceText, sortBy: deviceText },
  createdColumn,
  durationColumn,
  { name: 'Recording', cell: (session) => <RecordingLink session={session} /> },
  {
    name: 'Billed',
    numeric: true,
    cell: ({ endedAt, billedSeconds }) => (endedAt ? duration(billedSeconds) : '–'),
    sortBy: ({ endedAt, billedSeconds }) => (endedAt ? billedSeconds : null),
  },
  trafficColumn,
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
