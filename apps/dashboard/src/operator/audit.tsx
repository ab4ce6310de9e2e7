import { Anchor } from '@mantine/core';
import type { AuditAction, AuditEntry } from '@turnpike/contract/dashboard/operator-pages';
import { Link } from 'react-router';
import { usePages } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { Card, Page } from '../parts/page.tsx';
import { Empty } from '../parts/states.tsx';
import { useAddressFilters } from '../parts/tables/address-filters.ts';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import { ExportButton } from '../parts/tables/export-button.tsx';
import { FilterSelect } from '../parts/tables/filter-select.tsx';
import { SearchInput } from '../parts/tables/search-input.tsx';
import { Time } from '../parts/values/time.tsx';
import { actionLabels, detailText, targetPage } from './audit-text.ts';

const columns: readonly Column<AuditEntry>[] = [
  { name: 'Time', cell: ({ at }) => <Time at={at} seconds />, sortBy: ({ at }) => at },
  { name: 'Actor', cell: ({ actor }) => actor, sortBy: ({ actor }) => actor },
  {
    name: 'Action',
    cell: ({ action }) => actionLabels[action],
    sortBy: ({ action }) => actionLabels[action],
  },
  { name: 'Target', cell: (entry) => <Target entry={entry} />, sortBy: ({ target }) => target },
  { name: 'Details', cell: ({ detail }) => <span className="faint break">{detailText(detail) || '–'}</span> },
  {
    name: 'IP address',
    cell: ({ address }) => <span className="mono">{address ?? '–'}</span>,
    sortBy: ({ address }) => address,
  },
];

function Target({ entry }: { entry: AuditEntry }) {
  const page = targetPage(entry);
  if (!page) return <span className="break">{entry.target}</span>;
  return (
    <Anchor component={Link} to={page} size="sm" className="break">
      {entry.target}
    </Anchor>
  );
}

export function Audit() {
  const { value, set } = useAddressFilters();
  const text = value('text');
  const chosen = value('action');
  const action: AuditAction | '' = chosen in actionLabels ? (chosen as AuditAction) : '';
  const entries = usePages('/operator/audit', { query: { text, action, limit: 50 }, everyMs: 10_000 });
  return (
    <Page title="Audit log" about="Every operator action and every key rotation">
      <Card flush>
        <search className="filters card-inset" aria-label="Filters">
          <SearchInput
            label="Search"
            hint="Actor or target"
            initial={text}
            onSearch={(typed) => set('text', typed)}
          />
          <FilterSelect
            label="Action"
            value={action}
            choices={Object.entries(actionLabels).map(([name, label]) => ({ value: name, label }))}
            onSelect={(value) => set('action', value)}
          />
          <ExportButton href={downloadUrl('/operator/audit/csv', { query: { text, action } })} />
        </search>
        <PagedTable
          label="Audit log"
          query={entries}
          rowsOf={(page) => page.entries}
          columns={columns}
          rowKey={({ id }) => id}
          empty={<Empty icon="audit" title={text || action ? 'No entry matches' : 'No entries yet'} />}
        />
      </Card>
    </Page>
  );
}
