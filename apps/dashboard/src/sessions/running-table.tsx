import { Anchor } from '@mantine/core';
import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Link } from 'react-router';
import { Empty } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { countryName } from '../parts/values/figures.ts';
import { Ago, Left } from '../parts/values/time.tsx';
import { CloseButton } from './close-button.tsx';
import { RecordingLink } from './recording-link.tsx';
import { idColumn, trafficColumn } from './session-columns.tsx';
import { deviceText } from './session-text.ts';

const device: Column<SessionRowView> = { name: 'Device', cell: deviceText };
const exit: Column<SessionRowView> = {
  name: 'Exit country',
  cell: ({ exitCountry }) => (exitCountry ? countryName(exitCountry) : '–'),
};
const started: Column<SessionRowView> = {
  name: 'Created',
  cell: ({ createdAt }) => <Ago at={createdAt} />,
  sortBy: ({ createdAt }) => createdAt,
};
const timeLeft: Column<SessionRowView> = {
  name: 'Time left',
  numeric: true,
  cell: ({ expiresAt }) => <Left until={expiresAt} />,
  sortBy: ({ expiresAt }) => Date.parse(expiresAt),
};
const recording: Column<SessionRowView> = {
  name: 'Recording',
  cell: (running) => <RecordingLink session={running} />,
};
const actions: Column<SessionRowView> = {
  name: 'Actions',
  actions: true,
  cell: ({ browserId }) => <CloseButton id={browserId} size="xs" />,
};

interface RunningTableProps {
  sessions: readonly SessionRowView[];
  /** Only the newest sessions, in three columns. */
  brief?: boolean;
}

export function RunningTable({ sessions, brief = false }: RunningTableProps) {
  if (sessions.length === 0) {
    return (
      <Empty icon="sessions" title="No session is running">
        <Anchor component={Link} to="/new-session" size="sm" underline="always">
          Create one
        </Anchor>{' '}
        here, or from a program with your API key.
      </Empty>
    );
  }
  const columns = brief
    ? [idColumn, device, timeLeft]
    : [idColumn, device, exit, started, timeLeft, recording, trafficColumn, actions];
  return (
    <DataTable
      label="Running sessions"
      columns={columns}
      rows={brief ? sessions.slice(0, 8) : sessions}
      rowKey={({ browserId }) => browserId}
    />
  );
}
