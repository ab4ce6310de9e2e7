import { Anchor, Button } from '@mantine/core';
import { connectSnippets } from '@turnpike/contract/connect-snippets';
import { Link, useParams } from 'react-router';
import { useGet } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { Snippets } from '../parts/values/code.tsx';
import { CloseButton } from './close-button.tsx';
import { DeviceCard } from './device-card.tsx';
import { Files } from './files.tsx';
import { LiveView } from './live-view.tsx';
import { MetadataCard, ParametersCard, StateCard } from './session-facts.tsx';
import { createParams, isRecorded } from './session-text.ts';
import { SnapshotsCard } from './snapshots-card.tsx';
import { TimelineCard } from './timeline-card.tsx';
import { TrafficCard } from './traffic-card.tsx';

export function Session() {
  const { id = '' } = useParams();
  const query = useGet('/sessions/:id', { params: { id }, everyMs: 2_000 });
  const session = query.data;
  const running = session?.status === 'ACTIVE';
  return (
    <Page
      title={session?.name ?? 'Session'}
      about={<span className="mono break">{id}</span>}
      actions={
        <>
          <BackButton to="/sessions">Sessions</BackButton>
          {session && isRecorded(session) && (
            <Button
              component={Link}
              to={`/sessions/${session.browserId}/recording`}
              variant="default"
              leftSection={<Icon name="record" size={16} />}
            >
              {running ? 'Inspect live' : 'Watch recording'}
            </Button>
          )}
          {running && <CloseButton id={session.browserId} />}
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {(data) => (
          <div className="stack">
            {data.status === 'ACTIVE' && data.vncUrl && <LiveView id={data.browserId} url={data.vncUrl} />}
            {data.status === 'ACTIVE' && data.cdpUrl && (
              <Card title="Connect" about="Keep this URL secret: anyone who has it can control the browser.">
                <Snippets
                  label="How to connect"
                  snippets={connectSnippets({
                    sessionId: data.browserId,
                    cdpUrl: data.cdpUrl,
                    webdriverUrl: data.webdriverUrl,
                    gateway: location.origin,
                  })}
                />
              </Card>
            )}
            {data.status === 'ACTIVE' && <Files id={data.browserId} />}
            <SnapshotsCard id={data.browserId} running={data.status === 'ACTIVE'} />
            <TrafficCard id={data.browserId} running={data.status === 'ACTIVE'} />
            <div className="columns">
              <StateCard session={data} />
              <TimelineCard session={data} />
              <DeviceCard device={data.device} />
              <ParametersCard
                params={data.browserParams}
                actions={
                  <Anchor
                    component={Link}
                    to="/new-session"
                    state={{ params: createParams(data.browserParams) }}
                    size="sm"
                  >
                    Duplicate session
                  </Anchor>
                }
              />
              <MetadataCard metadata={data.metadata} />
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}
