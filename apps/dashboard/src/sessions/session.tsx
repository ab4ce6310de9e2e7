import { Anchor } from '@mantine/core';
import type { SessionDetail } from '@turnpike/contract/dashboard/account-pages';
import type { ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useGet } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Code, Snippets } from '../parts/code.tsx';
import { bytes, countryName, duration, operatingSystemNames } from '../parts/figures.ts';
import { Card, Fact, Facts, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { Status } from '../parts/status.tsx';
import { Left, Time } from '../parts/time.tsx';
import { CloseButton } from './close-button.tsx';
import { connectSnippets } from './connect-snippets.ts';
import { Files } from './files.tsx';
import { LiveView } from './live-view.tsx';
import { endReasonText } from './session-text.ts';

export function Session() {
  const { id = '' } = useParams();
  const query = useGet('/sessions/:id', { params: { id }, everyMs: 2_000 });
  const session = query.data;
  const running = session?.status === 'ACTIVE';
  return (
    <Page
      title="Session"
      about={<span className="mono break">{id}</span>}
      actions={
        <>
          <BackButton to="/sessions">Sessions</BackButton>
          {running && <CloseButton id={session.browserId} />}
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {(data) => (
          <div className="stack">
            {data.status === 'ACTIVE' && data.vncUrl && <LiveView url={data.vncUrl} />}
            {data.status === 'ACTIVE' && data.cdpUrl && (
              <Card title="Connect" about="Keep this URL secret: anyone who has it can control the browser.">
                <Snippets
                  label="How to connect"
                  snippets={connectSnippets(data.browserId, data.cdpUrl, location.origin)}
                />
              </Card>
            )}
            {data.status === 'ACTIVE' && <Files id={data.browserId} />}
            <div className="columns">
              <About session={data} />
              <Device session={data} />
              <Parameters params={data.browserParams} />
              <Card title="Metadata" about="Your metadata. The service adds the key turnpike.">
                <Code name="Metadata as JSON" code={JSON.stringify(data.metadata, null, 2)} />
              </Card>
            </div>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function About({ session }: { session: SessionDetail }) {
  const { status, createdAt, expiresAt, endedAt, exitCountry, exitIp } = session;
  return (
    <Card title="State">
      <Facts>
        <Fact name="State">
          <Status of={status} />
          {endedAt && <span className="faint"> {endReasonText(session)}</span>}
        </Fact>
        <Fact name="Started">
          <Time at={createdAt} seconds />
        </Fact>
        {endedAt ? (
          <Fact name="Ended">
            <Time at={endedAt} seconds />
          </Fact>
        ) : (
          <Fact name="Expires">
            <Time at={expiresAt} seconds />, in <Left until={expiresAt} />
          </Fact>
        )}
        <Fact name="Duration">{duration(session.durationSeconds)}</Fact>
        <Fact name="Billed">{endedAt ? duration(session.billedSeconds) : 'When it ends'}</Fact>
        <Fact name="Traffic">
          {bytes(session.bytesUp)} up, {bytes(session.bytesDown)} down
        </Fact>
        <Fact name="Proxy">
          <span className="mono">{String((session.browserParams as { proxy?: string }).proxy ?? '–')}</span>
        </Fact>
        <Fact name="Exit country">
          {exitCountry ? countryName(exitCountry) : 'Unknown'}
          {exitIp && <span className="faint"> {exitIp}</span>}
        </Fact>
        {session.host && <Fact name="Host">{session.host}</Fact>}
        {session.chromiumVersion && <Fact name="Chromium">{session.chromiumVersion}</Fact>}
      </Facts>
    </Card>
  );
}

function Device({ session: { device } }: { session: SessionDetail }) {
  if (!device) {
    return (
      <Card title="Device">
        <span className="faint">This browser has no device profile.</span>
      </Card>
    );
  }
  const { screen, hardware } = device;
  return (
    <Card title="Device" about="The device that the browser reports">
      <Facts>
        <Fact name="System">{operatingSystemNames[device.os] ?? device.os}</Fact>
        <Fact name="Browser">Chromium {device.browserVersion}</Fact>
        <Fact name="Screen">
          {screen.width} × {screen.height} px, ratio {screen.pixelRatio}
        </Fact>
        <Fact name="Hardware">
          {hardware.processors} processors, {hardware.memory} GB
        </Fact>
        <Fact name="Graphics">{hardware.gpu}</Fact>
        <Fact name="Languages">{device.languages.join(', ')}</Fact>
        <Fact name="UI language">{device.uiLanguage}</Fact>
        <Fact name="Time zone">{device.timeZone}</Fact>
        <Fact name="User agent">
          <span className="mono">{device.userAgent}</span>
        </Fact>
      </Facts>
    </Card>
  );
}

function Parameters({ params }: { params: object }) {
  return (
    <Card
      title="Parameters"
      about="As sent to the API"
      actions={
        <Anchor component={Link} to="/new-session" state={{ params }} size="sm">
          Duplicate session
        </Anchor>
      }
    >
      <Facts>
        {Object.entries(params).map(([name, value]) => (
          <Fact key={name} name={name}>
            <ParameterValue value={value} />
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}

function ParameterValue({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return <span className="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</span>;
}
