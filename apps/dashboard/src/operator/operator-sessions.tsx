import { usePages } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { Card, Page } from '../parts/page.tsx';
import { ExportButton } from '../parts/tables/export-button.tsx';
import { HistoryFilters, useHistoryFilters } from '../sessions/history-filters.tsx';
import { SessionsTable } from './sessions-table.tsx';

export function OperatorSessions() {
  const { query, filtered } = useHistoryFilters();
  const sessions = usePages('/operator/sessions', {
    query: { ...query, limit: 25 },
    everyMs: 5_000,
  });
  return (
    <Page title="Sessions" about="Sessions of all accounts, newest first">
      <Card flush>
        <HistoryFilters textHint="Id, e-mail address, parameter or metadata">
          <ExportButton href={downloadUrl('/operator/sessions/csv', { query })} />
        </HistoryFilters>
        <SessionsTable query={sessions} emptyText={filtered ? 'No session matches' : 'No sessions yet'} />
      </Card>
    </Page>
  );
}
