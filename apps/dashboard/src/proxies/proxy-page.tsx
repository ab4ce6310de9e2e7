import type { SavedProxy } from '@turnpike/contract/proxies';
import { useNavigate, useParams } from 'react-router';
import { useGet } from '../api/queries.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Card, Fact, Facts, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { countryName } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { Ago, Time } from '../parts/values/time.tsx';
import { CheckCard } from './check-card.tsx';
import { DeleteProxy } from './delete-buttons.tsx';
import { ProxyFormButton } from './proxy-form.tsx';
import { UsageCharts } from './usage-charts.tsx';

/** One saved proxy: how it is, and what sessions have seen of it. */
export function ProxyPage() {
  const { name = '' } = useParams();
  const navigate = useNavigate();
  const query = useGet('/user/api/proxies/:name', { params: { name }, everyMs: 5_000 });
  const usage = useGet('/user/api/proxies/:name/usage', { params: { name }, everyMs: 30_000 });
  return (
    <Page
      title="Proxy"
      about={<span className="mono break">name:{name}</span>}
      actions={
        <>
          <BackButton to="/proxies">Proxies</BackButton>
          {query.data && (
            <>
              <ProxyFormButton proxy={query.data} />
              <DeleteProxy name={name} onDone={() => void navigate('/proxies')} />
            </>
          )}
        </>
      }
    >
      <Loaded query={query} lines={8}>
        {(proxy) => (
          <div className="stack">
            <div className="columns">
              <About proxy={proxy} />
              <Health proxy={proxy} />
            </div>
            <CheckCard name={name} />
            <Loaded query={usage}>{(data) => <UsageCharts usage={data} />}</Loaded>
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function About({ proxy }: { proxy: SavedProxy }) {
  const { url, tags, country, notes, pricePerGb, isDefault, hasCa, hasClientCertificate, createdAt } = proxy;
  return (
    <Card title="Proxy">
      <Facts>
        <Fact name="URL">
          <span className="mono break">{url}</span>
        </Fact>
        {isDefault && <Fact name="Default">Creates without a proxy use it</Fact>}
        <Fact name="Country">{country ? countryName(country) : 'Not set'}</Fact>
        <Fact name="Price per GB">{pricePerGb ?? 'Not set'}</Fact>
        <Fact name="Tags">{tags.join(', ') || 'None'}</Fact>
        {notes && (
          <Fact name="Notes">
            <span className="break">{notes}</span>
          </Fact>
        )}
        {hasCa && (
          <Fact name="CA bundle">{proxy.trustCaInBrowser ? 'Yes, browsers trust it too' : 'Yes'}</Fact>
        )}
        {hasClientCertificate && <Fact name="Client certificate">Yes</Fact>}
        <Fact name="Added">
          <Time at={createdAt} />
        </Fact>
      </Facts>
    </Card>
  );
}

function Health({ proxy: { health } }: { proxy: SavedProxy }) {
  const { state, since, checkedAt, latencyMs, exitIp, exitCountry, lastError } = health;
  return (
    <Card title="State">
      <Facts>
        <Fact name="State">
          <Status of={state} />
          {state !== 'unknown' && (
            <span className="faint">
              {' '}
              since <Time at={since} seconds />
            </span>
          )}
        </Fact>
        <Fact name="Last check">{checkedAt ? <Ago at={checkedAt} /> : 'Never'}</Fact>
        <Fact name="Latency">{latencyMs === null ? '–' : `${latencyMs} ms`}</Fact>
        <Fact name="Exit address">{exitIp ? <span className="mono">{exitIp}</span> : '–'}</Fact>
        <Fact name="Exit country">{exitCountry ? countryName(exitCountry) : 'Unknown'}</Fact>
        {lastError && (
          <Fact name="Last failure">
            <span className="break">{lastError}</span>
          </Fact>
        )}
      </Facts>
    </Card>
  );
}
