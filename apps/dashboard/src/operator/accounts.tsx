import { Anchor, NativeSelect } from '@mantine/core';
import type { AccountStatus } from '@turnpike/contract/account';
import type { OperatorAccount } from '@turnpike/contract/dashboard/operator-pages';
import { useState } from 'react';
import { Link } from 'react-router';
import { usePages } from '../api/queries.ts';
import { type Column, PagedTable } from '../parts/data-table.tsx';
import { count, hours } from '../parts/figures.ts';
import { Card, Page } from '../parts/page.tsx';
import { SearchInput } from '../parts/search-input.tsx';
import { Empty } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Ago, Time } from '../parts/time.tsx';
import { NewAccountButton } from './new-account.tsx';

const columns: readonly Column<OperatorAccount>[] = [
  {
    name: 'Account',
    cell: ({ id, email, name }) => (
      <>
        <Anchor component={Link} to={`/accounts/${id}`} size="sm">
          {email}
        </Anchor>
        {name && <div className="faint">{name}</div>}
      </>
    ),
  },
  { name: 'State', cell: ({ status }) => <Status of={status} /> },
  {
    name: 'Running',
    numeric: true,
    cell: ({ usage, limits }) => `${count(usage.running)} of ${limits.concurrent ?? '∞'}`,
  },
  {
    name: 'Browser hours',
    numeric: true,
    cell: ({ usage, limits }) =>
      `${hours(usage.browserSeconds)} of ${limits.browserSecondsCap === null ? '∞' : hours(limits.browserSecondsCap)}`,
  },
  { name: 'Last sign-in', cell: ({ signIn }) => <SignedIn {...signIn} /> },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function SignedIn({ lastAt, password, invitedUntil }: OperatorAccount['signIn']) {
  if (lastAt) return <Ago at={lastAt} />;
  if (password) return 'Never';
  return invitedUntil ? 'Invited' : 'Not invited';
}

export function Accounts() {
  const [text, setText] = useState('');
  const [status, setStatus] = useState<AccountStatus | ''>('');
  const accounts = usePages('/operator/accounts', { query: { text, status, limit: 25 } });
  return (
    <Page title="Accounts" actions={<NewAccountButton />}>
      <Card flush>
        <search className="filters card-inset" aria-label="Filters">
          <SearchInput label="Search" hint="E-mail address, name or id" onSearch={setText} />
          <NativeSelect
            label="State"
            value={status}
            data={[
              { value: '', label: 'Any' },
              { value: 'active', label: 'Active' },
              { value: 'suspended', label: 'Suspended' },
            ]}
            onChange={(event) => setStatus(event.currentTarget.value as AccountStatus | '')}
          />
        </search>
        <PagedTable
          label="Accounts"
          query={accounts}
          rowsOf={({ accounts: list }) => list}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <Empty icon="accounts" title={text || status ? 'No account matches' : 'No accounts yet'}>
              {!text && !status && 'Create the first one with the button above.'}
            </Empty>
          }
        />
      </Card>
    </Page>
  );
}
