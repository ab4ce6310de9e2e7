import { Anchor } from '@mantine/core';
import type { Webhook } from '@turnpike/contract/events';
import { Link } from 'react-router';
import { useGet } from '../api/queries.ts';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, DataTable } from '../parts/tables/data-table.tsx';
import { Status } from '../parts/values/status.tsx';
import { Time } from '../parts/values/time.tsx';
import { DeleteButton } from './delete-button.tsx';
import { NewWebhookCard } from './new-webhook.tsx';

const columns: readonly Column<Webhook>[] = [
  {
    name: 'URL',
    cell: ({ id, url }) => (
      <Anchor component={Link} to={`/webhooks/${id}`} className="mono break">
        {url}
      </Anchor>
    ),
  },
  { name: 'Events', cell: ({ events }) => (events.length === 0 ? 'All' : events.join(', ')) },
  { name: 'State', cell: ({ status }) => <Status of={status} /> },
  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'Actions', actions: true, cell: (webhook) => <DeleteButton webhook={webhook} size="xs" /> },
];

export function Webhooks() {
  // A receiver can disable its webhook at any time.
  const webhooks = useGet('/user/api/webhooks', { everyMs: 10_000 });
  return (
    <Page title="Webhooks" about="Get an HTTP request for each event of your sessions and usage.">
      <div className="stack">
        <NewWebhookCard />
        <Card title="Webhooks" flush>
          <Loaded query={webhooks}>
            {({ webhooks: list }) => (
              <DataTable
                label="Webhooks"
                rows={list}
                rowKey={({ id }) => id}
                columns={columns}
                empty={
                  <Empty icon="webhooks" title="No webhooks yet">
                    Events are kept for 30 days, so you can replay earlier events to a new webhook.
                  </Empty>
                }
              />
            )}
          </Loaded>
        </Card>
      </div>
    </Page>
  );
}
