import { Anchor } from '@mantine/core';
import type { Device } from '@turnpike/contract/dashboard/account-pages';
import { Link, useParams } from 'react-router';
import { useGet } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Fact, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { DeviceCard } from '../sessions/device-card.tsx';
import { MetadataCard, ParametersCard, StateCard } from '../sessions/session-facts.tsx';
import { TimelineCard } from '../sessions/timeline-card.tsx';
import { OperatorTrafficCard } from '../sessions/traffic-card.tsx';
import { CloseAnyButton } from './sessions-table.tsx';

/** A session of any account, without its URLs, which are its owner's. */
export function OperatorSession() {
  const { id = '' } = useParams();
  const query = useGet('/operator/sessions/:id', { params: { id }, everyMs: 2_000 });
  const session = query.data;
  return (
    <Page
      title="Session"
      about={<span className="mono break">{id}</span>}
      actions={
        <>
          <BackButton to="/sessions">Sessions</BackButton>
          {session?.status === 'ACTIVE' && <CloseAnyButton id={session.browserId} email={session.email} />}
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {(data) => (
          <div className="stack">
            <OperatorTrafficCard id={data.browserId} running={data.status === 'ACTIVE'} />
            <div className="columns">
              <StateCard session={data}>
                <Fact name="Account">
                  <Anchor component={Link} to={`/accounts/${data.accountId}`} size="sm">
                    {data.email}
                  </Anchor>
                </Fact>
              </StateCard>
              <TimelineCard session={data} />
              <DeviceCard device={(data.browserParams as { profile?: Device }).profile ?? null} />
              <ParametersCard params={data.browserParams} />
              <MetadataCard metadata={data.metadata} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
