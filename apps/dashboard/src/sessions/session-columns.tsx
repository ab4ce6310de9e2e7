import { Anchor, Badge, Group } from '@mantine/core';
import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Link } from 'react-router';
import type { Column } from '../parts/tables/data-table.tsx';
import { bytes, duration } from '../parts/values/figures.ts';
import { Time } from '../parts/values/time.tsx';
import { StateCell } from './state-cell.tsx';

/** Columns that several tables of sessions have. */

type SessionColumn = Column<SessionRowView>;

export function SessionId({ id }: { id: string }) {
  return (
    <Anchor component={Link} to={`/sessions/${id}`} className="mono">
      {id}
    </Anchor>
  );
}

/** The name that people gave the session, above its id, and its tags. */
export const idColumn: SessionColumn = {
  name: 'Session',
  cell: ({ browserId, name, tags = [] }) => (
    <>
      {name !== undefined && <div className="break">{name}</div>}
      <SessionId id={browserId} />
      {tags.length > 0 && <Tags tags={tags} />}
    </>
  ),
};

export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <Group gap={4} mt={2}>
      {tags.map((tag) => (
        <Badge key={tag} size="sm" variant="light" color="gray" tt="none">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

export const stateColumn: SessionColumn = {
  name: 'State',
  cell: (session) => <StateCell session={session} />,
  sortBy: ({ status }) => status,
};

export const createdColumn: SessionColumn = {
  name: 'Created',
  cell: ({ createdAt }) => <Time at={createdAt} />,
  sortBy: ({ createdAt }) => createdAt,
};

export const durationColumn: SessionColumn = {
  name: 'Duration',
  numeric: true,
  cell: ({ durationSeconds }) => duration(durationSeconds),
  sortBy: ({ durationSeconds }) => durationSeconds,
};

export const trafficColumn: SessionColumn = {
  name: 'Traffic',
  numeric: true,
  cell: ({ bytesUp, bytesDown }) => bytes(bytesUp + bytesDown),
  sortBy: ({ bytesUp, bytesDown }) => bytesUp + bytesDown,
};
