import { usePages } from '../api/queries.ts';
import { Card, Page } from '../parts/page.tsx';
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
        <HistoryFilters textHint="Id, e-mail address, parameter or metadata" />
        <SessionsTable query={sessions} emptyText={filtered ? 'No session matches' : 'No sessions yet'} />
      </Card>
    </Page>
  );
}
