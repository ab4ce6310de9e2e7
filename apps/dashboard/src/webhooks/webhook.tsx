import type { Webhook as WebhookData } from '@turnpike/contract/events';
import { useNavigate, useParams } from 'react-router';
import { useGet } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Card, Fact, Facts, Page } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { Status } from '../parts/values/status.tsx';
import { Time } from '../parts/values/time.tsx';
import { DeleteButton } from './delete-button.tsx';
import { Deliveries } from './deliveries.tsx';
import { ReplaySince } from './replay-since.tsx';
import { TestCard } from './test-card.tsx';

export function Webhook() {
  const { id = '' } = useParams();
  const navigate = useNavigate();
  const query = useGet('/user/api/webhooks', { everyMs: 10_000 });
  const own = query.data?.webhooks.find((webhook) => webhook.id === id);
  return (
    <Page
      title="Webhook"
      about={<span className="mono break">{own?.url ?? id}</span>}
      actions={
        <>
          <BackButton to="/webhooks">Webhooks</BackButton>
          {own && <DeleteButton webhook={own} onDone={() => navigate('/webhooks')} />}
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {() =>
          own ? (
            <div className="stack">
              <About webhook={own} />
              <TestCard id={own.id} />
              <ReplaySince id={own.id} />
              <Deliveries id={own.id} />
            </div>
          ) : (
            <Empty icon="webhooks" title="Webhook not found">
              It may have been deleted.
            </Empty>
          )
        }
      </Loaded>
    </Page>
  );
}

function About({ webhook: { id, events, status, createdAt } }: { webhook: WebhookData }) {
  return (
    <Card title="Webhook">
      <Facts>
        <Fact name="Id">
          <span className="mono">{id}</span>
        </Fact>
        <Fact name="State">
          <Status of={status} />
          {status === 'disabled' && (
            <span className="faint"> the receiver answered 410 (Gone). Create a new webhook instead.</span>
          )}
        </Fact>
        <Fact name="Events">{events.length === 0 ? 'All' : events.join(', ')}</Fact>
        <Fact name="Created">
          <Time at={createdAt} seconds />
        </Fact>
      </Facts>
    </Card>
  );
}
