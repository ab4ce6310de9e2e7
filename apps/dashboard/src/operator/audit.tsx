import { NativeSelect } from '@mantine/core';
import type { AuditAction, AuditEntry } from '@turnpike/contract/dashboard/operator-pages';
import { useState } from 'react';
import { usePages } from '../api/queries.ts';
import { type Column, PagedTable } from '../parts/data-table.tsx';
import { Card, Page } from '../parts/page.tsx';
import { SearchInput } from '../parts/search-input.tsx';
import { Empty } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';

/** Label of each action; a missing one does not compile. */
const actionLabels: Readonly<Record<AuditAction, string>> = {
  'account.create': 'Account created',
  'account.limits': 'Limits changed',
  'account.suspend': 'Account suspended',
  'account.reinstate': 'Account reinstated',
  'account.invitation': 'Account invited',
  'account.reset': 'Password reset link created',
  'key.rotate': 'API key rotated',
  'stats-token.rotate': 'Statistics token rotated',
  'proxy-password.rotate': 'Proxy password rotated',
  'password.set': 'Password set',
  'operator.invitation': 'Operator invited',
  'operator.remove': 'Operator removed',
  'operator-token.create': 'Operator token created',
  'operator-token.revoke': 'Operator token revoked',
  'host.drain': 'Host drained',
  'host.undrain': 'Host undrained',
  'host.remove': 'Host removed',
  'session.close': 'Session closed',
};

const columns: readonly Column<AuditEntry>[] = [
  { name: 'Time', cell: ({ at }) => <Time at={at} seconds /> },
  { name: 'Actor', cell: ({ actor }) => actor },
  { name: 'Action', cell: ({ action }) => actionLabels[action] },
  { name: 'Target', cell: ({ target }) => <span className="break">{target}</span> },
  {
    name: 'Details',
    cell: ({ detail }) => <span className="faint break">{detailText(detail) || '–'}</span>,
  },
  { name: 'IP address', cell: ({ address }) => <span className="mono">{address ?? '–'}</span> },
];

function detailText(detail: object): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

export function Audit() {
  const [text, setText] = useState('');
  const [action, setAction] = useState<AuditAction | ''>('');
  const entries = usePages('/operator/audit', {
    query: { text, action, limit: 50 },
    everyMs: 10_000,
  });
  return (
    <Page title="Audit log" about="Every operator action and every key rotation">
      <Card flush>
        <search className="filters card-inset" aria-label="Filters">
          <SearchInput label="Search" hint="Actor or target" onSearch={setText} />
          <NativeSelect
            label="Action"
            value={action}
            data={[
              { value: '', label: 'Any' },
              ...Object.entries(actionLabels).map(([value, label]) => ({ value, label })),
            ]}
            onChange={(event) => setAction(event.currentTarget.value as AuditAction | '')}
          />
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
