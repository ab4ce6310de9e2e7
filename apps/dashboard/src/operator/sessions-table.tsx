import { Anchor } from '@mantine/core';
import type { OperatorSession } from '@turnpike/contract/dashboard/operator-pages';
import { Link } from 'react-router';
import { type PagesResult, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Empty } from '../parts/states.tsx';
import { type Column, PagedTable } from '../parts/tables/data-table.tsx';
import {
  createdColumn,
  durationColumn,
  idColumn,
  SessionId,
  stateColumn,
  trafficColumn,
} from '../sessions/session-columns.tsx';

const idAndOwner: Column<OperatorSession> = {
  name: 'Session',
  cell: ({ browserId, accountId, email }) => (
    <>
      <SessionId id={browserId} />
      <div>
        <Anchor component={Link} to={`/accounts/${accountId}`} size="xs">
          {email}
        </Anchor>
      </div>
    </>
  ),
};

const otherColumns: readonly Column<OperatorSession>[] = [
  { name: 'Host', cell: ({ host }) => host ?? '–', sortBy: ({ host }) => host },
  createdColumn,
  durationColumn,
  trafficColumn,
  {
    name: 'Actions',
    actions: true,
    cell: ({ browserId, email, status }) =>
      status === 'ACTIVE' && <CloseAnyButton id={browserId} email={email} />,
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
        only === 'one account' ? idColumn : idAndOwner,
        ...(only === 'running' ? [] : [stateColumn]),
        ...otherColumns,
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
