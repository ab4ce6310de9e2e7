import { Anchor } from '@mantine/core';
import type { OperatorAccount } from '@turnpike/contract/dashboard/operator-pages';
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
import { count, hours } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { Ago, Time } from '../parts/values/time.tsx';
import { NewAccountButton } from './new-account.tsx';

const accountStatuses = ['active', 'suspended'] as const;

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
    sortBy: ({ email }) => email,
  },
  { name: 'State', cell: ({ status }) => <Status of={status} />, sortBy: ({ status }) => status },
  {
    name: 'Running',
    numeric: true,
    cell: ({ usage, limits }) => `${count(usage.running)} of ${limits.concurrent ?? '∞'}`,
    sortBy: ({ usage }) => usage.running,
  },
  {
    name: 'Browser hours',
    numeric: true,
    cell: (account) => <BrowserHours account={account} />,
    sortBy: ({ usage }) => usage.browserSeconds,
  },
  {
    name: 'Last sign-in',
    cell: ({ signIn }) => <SignedIn {...signIn} />,
    sortBy: ({ signIn }) => signIn.lastAt,
  },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, sortBy: ({ createdAt }) => createdAt },
];

function BrowserHours({ account: { usage, limits } }: { account: OperatorAccount }) {
  const cap = limits.browserSecondsCap;
  return (
    <>
      {hours(usage.browserSeconds)} of {cap === null ? '∞' : hours(cap)}
      {usage.remainingSeconds === 0 && (
        <div>
          <Status of="capReached" />
        </div>
      )}
    </>
  );
}

function SignedIn({ lastAt, password, invitedUntil }: OperatorAccount['signIn']) {
  if (lastAt) return <Ago at={lastAt} />;
  if (password) return 'Never';
  return invitedUntil ? 'Invited' : 'Not invited';
}

export function Accounts() {
  const { value, set } = useAddressFilters();
  const text = value('text');
  const status = accountStatuses.find((known) => known === value('status')) ?? '';
  const accounts = usePages('/operator/accounts', { query: { text, status, limit: 25 } });
  return (
    <Page title="Accounts" actions={<NewAccountButton />}>
      <Card flush>
        <search className="filters card-inset" aria-label="Filters">
          <SearchInput
            label="Search"
            hint="E-mail address, name or id"
            initial={text}
            onSearch={(typed) => set('text', typed)}
          />
          <FilterSelect
            label="State"
            value={status}
            choices={[
              { value: 'active', label: 'Active' },
              { value: 'suspended', label: 'Suspended' },
            ]}
            onSelect={(value) => set('status', value)}
          />
          <ExportButton href={downloadUrl('/operator/accounts/csv', { query: { text, status } })} />
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
