import type { SessionDetail, SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import type { ReactNode } from 'react';
import { Card, Fact, Facts } from '../parts/page.tsx';
import { Code } from '../parts/values/code.tsx';
import { bytes, countryName, duration } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { Left, Time } from '../parts/values/time.tsx';
import { Tags } from './session-columns.tsx';
import { endReasonText, proxyText, refusedText, shownState } from './session-text.ts';

type Shown = SessionRowView &
  Pick<SessionDetail, 'host'> &
  Partial<Pick<SessionDetail, 'exitIp' | 'chromiumVersion'>>;

/** State, times, traffic and where the session runs. */
export function StateCard({ session, children }: { session: Shown; children?: ReactNode }) {
  const { createdAt, expiresAt, endedAt, exitCountry, exitIp } = session;
  return (
    <Card title="State">
      <Facts>
        {children}
        {session.tags && (
          <Fact name="Tags">
            <Tags tags={session.tags} />
          </Fact>
        )}
        <Fact name="State">
          <Status of={shownState(session)} />
          {endedAt && session.endReason !== 'browser_closed' && (
            <span className="faint"> {endReasonText(session)}</span>
          )}
        </Fact>
        <Fact name="Created">
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
        {session.refusedRequests && (
          <Fact name="Refused requests">{refusedText(session.refusedRequests)}</Fact>
        )}
        {session.bytesFromCache !== undefined && (
          <Fact name="From cache">
            {bytes(session.bytesFromCache)} <span className="faint">(estimate)</span>
          </Fact>
        )}
        <Fact name="Proxy">
          <span className="mono break">{proxyText(session.browserParams)}</span>
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

/** What the create asked for. The device has a card of its own. */
export function ParametersCard({ params, actions }: { params: object; actions?: ReactNode }) {
  return (
    <Card title="Parameters" about="As sent to the API" actions={actions}>
      <Facts>
        {Object.entries(params)
          .filter(([name]) => name !== 'profile')
          .map(([name, value]) => (
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

/** Whether the session saved what it was to save. */
interface SavedOutcome {
  profileSaved?: boolean;
  profileError?: string;
  cacheSaved?: boolean;
  cacheError?: string;
}

const savedText = (saved: boolean, error = 'unknown reason'): string => (saved ? 'Yes' : `No: ${error}`);

/** The caller's own object. What the service adds under `turnpike` is among the facts of the other cards. */
export function MetadataCard({ metadata }: { metadata: object }) {
  const { turnpike = {}, ...own } = metadata as { turnpike?: SavedOutcome };
  const { profileSaved, profileError, cacheSaved, cacheError } = turnpike;
  return (
    <Card title="Metadata" about="The object that the create attached to the session">
      {(profileSaved !== undefined || cacheSaved !== undefined) && (
        <Facts>
          {profileSaved !== undefined && (
            <Fact name="Profile saved">{savedText(profileSaved, profileError)}</Fact>
          )}
          {cacheSaved !== undefined && <Fact name="Cache saved">{savedText(cacheSaved, cacheError)}</Fact>}
        </Facts>
      )}
      {Object.keys(own).length > 0 ? (
        <Code name="Metadata as JSON" code={JSON.stringify(own, null, 2)} />
      ) : (
        <span className="faint">None</span>
      )}
    </Card>
  );
}
