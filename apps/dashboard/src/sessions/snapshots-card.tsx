import { Anchor, Button } from '@mantine/core';
import { maxSnapshots, type Snapshot } from '@turnpike/contract/saved-profile';
import { Link } from 'react-router';
import { useDelete, useGet, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Card } from '../parts/page.tsx';
import { Empty, Loaded, Problem } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { bytes } from '../parts/values/figures.ts';
import { Time } from '../parts/values/time.tsx';

const columns: readonly Column<Snapshot>[] = [
  { name: 'Snapshot', cell: ({ snapshot }) => <span className="mono break">{snapshot}</span> },
  { name: 'Tabs', numeric: true, cell: ({ tabs }) => tabs },
  { name: 'Size', numeric: true, cell: ({ bytes: size }) => bytes(size) },
  { name: 'Taken', cell: ({ createdAt }) => <Time at={createdAt} seconds /> },
  { name: 'Expires', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
  { name: 'Actions', actions: true, cell: (row) => <Actions snapshot={row} /> },
];

/** The account's snapshots, and a button that takes one of this session while it runs. */
export function SnapshotsCard({ id, running }: { id: string; running: boolean }) {
  const snapshots = useGet('/user/api/snapshots');
  const take = usePost('/api/browser/:id/snapshot', { params: { id }, stale: ['/user/api/snapshots'] });
  return (
    <Card
      title="Snapshots"
      about={`What sessions have in their browsers, for new sessions to begin with. Stored encrypted, at most ${maxSnapshots}.`}
      actions={
        running && (
          <Button variant="default" loading={take.isPending} onClick={() => take.mutate({})}>
            Take snapshot
          </Button>
        )
      }
      flush
    >
      {take.error && (
        <div className="card-inset">
          <Problem error={take.error} />
        </div>
      )}
      <Loaded query={snapshots}>
        {({ snapshots: list }) => (
          <DataTable
            label="Snapshots"
            rows={list}
            rowKey={({ snapshot }) => snapshot}
            columns={columns}
            empty={
              <Empty icon="profiles" title="No snapshots yet">
                A snapshot has cookies, storage and tabs. The session goes on when you take one.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Card>
  );
}

function Actions({ snapshot: { snapshot, inUse } }: { snapshot: Snapshot }) {
  const remove = useDelete('/user/api/snapshots/:id', {
    params: { id: snapshot },
    stale: ['/user/api/snapshots'],
  });
  const params = { snapshot, ...(inUse && { fork: true }) };
  return (
    <>
      <Anchor component={Link} to="/new-session" state={{ params }} size="sm">
        {inUse ? 'Fork' : 'New session'}
      </Anchor>
      <Confirm
        action="Delete"
        about={`the snapshot ${snapshot}`}
        title="Delete this snapshot?"
        mutation={remove}
        danger
        size="xs"
      >
        It is deleted for good. Sessions that began with it continue.
      </Confirm>
    </>
  );
}
