import { Anchor } from '@mantine/core';
import type { OperatorSession } from '@turnpike/contract/dashboard/operator-pages';
import { Link } from 'react-router';
import { type PagesResult, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';
import { type Column, PagedTable } from '../parts/data-table.tsx';
import { bytes, duration } from '../parts/figures.ts';
import { Empty } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';
import { StateCell } from '../sessions/state-cell.tsx';

type Columns = readonly Column<OperatorSession>[];

const session: Columns = [
  { name: 'Session', cell: ({ browserId }) => <span className="mono">{browserId}</span> },
];
const sessionAndOwner: Columns = [
  {
    name: 'Session',
    cell: ({ browserId, accountId, email }) => (
      <>
        <span className="mono">{browserId}</span>
        <div>
          <Anchor component={Link} to={`/accounts/${accountId}`} size="xs">
            {email}
          </Anchor>
        </div>
      </>
    ),
  },
];
const state: Columns = [
  {
    name: 'State',
    cell: (session) => <StateCell session={session} />,
  },
];
const facts: Columns = [
  { name: 'Host', cell: ({ host }) => host ?? '–' },
  { name: 'Started', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Duration', numeric: true, cell: ({ durationSeconds }) => duration(durationSeconds) },
  { name: 'Traffic', numeric: true, cell: ({ bytesUp, bytesDown }) => bytes(bytesUp + bytesDown) },
];
const actions: Columns = [
  {
    name: 'Actions',
    actions: true,
    cell: ({ browserId, email, status }) =>
      status === 'ACTIVE' && <CloseButton id={browserId} email={email} />,
  },
];

interface SessionsTableProps {
  query: PagesResult<'/operator/sessions'>;
  emptyText: string;
  /** Leaves out the column that would be the same in every row. */
  only?: 'running' | 'one account';
}

export function SessionsTable({ query, emptyText, only }: SessionsTableProps) {
  return (
    <PagedTable
      label="Sessions"
      query={query}
      rowsOf={({ sessions }) => sessions}
      columns={[
        ...(only === 'one account' ? session : sessionAndOwner),
        ...(only === 'running' ? [] : state),
        ...facts,
        ...actions,
      ]}
      rowKey={({ browserId }) => browserId}
      empty={<Empty icon="sessions" title={emptyText} />}
    />
  );
}

function CloseButton({ id, email }: { id: string; email: string }) {
  const close = usePost('/operator/sessions/:id/close', {
    params: { id },
    stale: ['/operator/sessions', '/operator/overview'],
  });
  return (
    <Confirm
      action="Close"
      about={`session ${id}`}
      title="Close this session?"
      mutation={close}
      danger
      size="xs"
    >
      It belongs to {email}. The browser closes at once and its time is billed. The audit log records it.
    </Confirm>
  );
}
