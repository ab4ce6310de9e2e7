import { Button } from '@mantine/core';
import type { Delivery } from '@turnpike/contract/events';
import { useGet, usePost } from '../api/queries.ts';
import { Card } from '../parts/page.tsx';
import { Empty, Loaded, Problem } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { SessionLink } from '../parts/values/session-link.tsx';
import { Status } from '../parts/values/status.tsx';
import { Left, Time } from '../parts/values/time.tsx';

const columns: readonly Column<Delivery>[] = [
  {
    name: 'Event',
    cell: ({ type, eventId }) => (
      <>
        {type}
        <div className="mono faint break">{eventId}</div>
      </>
    ),
  },
  { name: 'Session', cell: ({ browserId }) => <SessionLink id={browserId} /> },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} seconds /> },
  { name: 'State', cell: (delivery) => <State {...delivery} /> },
  { name: 'Attempts', numeric: true, cell: ({ attempts }) => attempts },
];

/** Deliveries of a webhook, latest first. */
export function Deliveries({ id }: { id: string }) {
  const deliveries = useGet('/user/api/webhooks/:id/deliveries', { params: { id }, everyMs: 2_000 });
  const replay = usePost('/user/api/webhooks/:id/replay', { params: { id }, stale: ['/user/api/webhooks'] });
  return (
    <Card title="Deliveries" about="The latest 100" flush>
      {replay.error && (
        <div className="card-inset">
          <Problem error={replay.error} />
        </div>
      )}
      <Loaded query={deliveries}>
        {({ deliveries: list }) => (
          <DataTable
            label="Deliveries"
            rows={list}
            rowKey={({ eventId }) => eventId}
            columns={[
              ...columns,
              {
                name: 'Actions',
                actions: true,
                cell: ({ eventId, status }) =>
                  status !== 'pending' && (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`Replay ${eventId}`}
                      onClick={() => replay.mutate({ eventId })}
                    >
                      Replay
                    </Button>
                  ),
              },
            ]}
            empty={
              <Empty icon="webhooks" title="No deliveries yet">
                Create a session, or replay earlier events.
              </Empty>
            }
          />
        )}
      </Loaded>
    </Card>
  );
}

function State({ status, lastError, nextAttemptAt }: Delivery) {
  const again = status === 'pending' && lastError !== null && nextAttemptAt !== null;
  return (
    <>
      <Status of={status} />
      {lastError && (
        <div className="faint break">
          {lastError}
          {again && (
            <>
              ; next attempt in <Left until={nextAttemptAt} />
            </>
          )}
        </div>
      )}
    </>
  );
}
