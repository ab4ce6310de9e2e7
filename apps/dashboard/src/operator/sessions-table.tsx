import { Anchor } from '@mantine/core';
import type { OperatorSession } from '@turnpike/contract/dashboard/operator-pages';
import { Link } from 'react-router';
import { type PagesResult, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import { bytes, duration } from '../parts/values/figures.ts';
import { Time } from '../parts/values/time.tsx';
import { StateCell } from '../sessions/state-cell.tsx';

type Columns = readonly Column<OperatorSession>[];

const session: Columns = [{ name: 'Session', cell: ({ browserId }) => <SessionLink id={browserId} /> }];
const sessionAndOwner: Columns = [
  {
    name: 'Session',
    cell: ({ browserId, accountId, email }) => (
      <>
        <SessionLink id={browserId} />
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
    sortBy: ({ status }) => status,
  },
];
const facts: Columns = [
  { name: 'Host', cell: ({ host }) => host ?? '–', sortBy: ({ host }) => host },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, sortBy: ({ createdAt }) => createdAt },
  {
    name: 'Duration',
    numeric: true,
    cell: ({ durationSeconds }) => duration(durationSeconds),
    sortBy: ({ durationSeconds }) => durationSeconds,
  },
  {
    name: 'Traffic',
    numeric: true,
    cell: ({ bytesUp, bytesDown }) => bytes(bytesUp + bytesDown),
    sortBy: ({ bytesUp, bytesDown }) => bytesUp + bytesDown,
  },
];
const actions: Columns = [
  {
    name: 'Actions',
    actions: true,
    cell: ({ browserId, email, status }) =>
      status === 'ACTIVE' && <CloseAnyButton id={browserId} email={email} />,
  },
];

function SessionLink({ id }: { id: string }) {
  return (
    <Anchor component={Link} to={`/sessions/${id}`} className="mono">
      {id}
    </Anchor>
  );
}

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

/** Closes a session of any account. */
export function CloseAnyButton({ id, email }: { id: string; email: string }) {
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
