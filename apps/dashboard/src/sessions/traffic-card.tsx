import { Alert, Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { SessionTrafficView } from '@turnpike/contract/dashboard/account-pages';
import { type ReactNode, useState } from 'react';
import { useGet } from '../api/queries.ts';
import { downloadUrl } from '../api/request.ts';
import { BarList } from '../parts/charts/bar-list.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card, Fact, Facts } from '../parts/page.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { ExportButton } from '../parts/tables/export-button.tsx';
import { bytes, costText, count } from '../parts/values/figures.ts';
import { isUsed, proxyUseText, refusalsText, trafficText, typesText } from './traffic-text.ts';

/** Destinations shown at first. */
const first = 8;

/** Where the traffic of a session went, live while it runs. */
export function TrafficCard({ id, running }: { id: string; running: boolean }) {
  const traffic = useGet('/sessions/:id/traffic', { params: { id }, everyMs: 2_000 });
  return (
    <TrafficCardOf
      traffic={traffic}
      running={running}
      about="Bytes between the browser and your proxy, by destination. Nothing goes around this count."
      actions={
        traffic.data?.complete === true && (
          <>
            <ExportButton href={downloadUrl('/sessions/:id/traffic/csv', { params: { id } })} />
            {!running && <ReceiptButton id={id} />}
          </>
        )
      }
    />
  );
}

/** The same of any account's session, for operators. */
export function OperatorTrafficCard({ id, running }: { id: string; running: boolean }) {
  const traffic = useGet('/operator/sessions/:id/traffic', { params: { id }, everyMs: 2_000 });
  return (
    <TrafficCardOf
      traffic={traffic}
      running={running}
      about="Bytes between the browser and the customer's proxy, by destination."
    />
  );
}

interface TrafficCardOfProps {
  traffic: UseQueryResult<SessionTrafficView>;
  running: boolean;
  about: string;
  actions?: ReactNode;
}

function TrafficCardOf({ traffic, running, about, actions }: TrafficCardOfProps) {
  return (
    <Card title="Traffic" about={about} actions={actions}>
      <Loaded query={traffic}>{(data) => <TrafficDetails traffic={data} running={running} />}</Loaded>
    </Card>
  );
}

function ReceiptButton({ id }: { id: string }) {
  return (
    <Button
      component="a"
      href={downloadUrl('/api/browser/:id/receipt', { params: { id } })}
      download={`${id}-receipt.json`}
      variant="default"
      leftSection={<Icon name="download" size={16} />}
    >
      Download receipt
    </Button>
  );
}

interface TrafficDetailsProps {
  traffic: SessionTrafficView;
  running: boolean;
}

function TrafficDetails({ traffic, running }: TrafficDetailsProps) {
  const { bytesUp, bytesDown, bytesFromCache, maxBytes, maxBytesReached, destinations, other } = traffic;
  const types = typesText(traffic.estimate);
  const requests = [...destinations, other].reduce((sum, use) => sum + use.requests + use.tunnels, 0);
  return (
    <div className="stack">
      {maxBytesReached && maxBytes !== null && (
        <Alert color="yellow" icon={<Icon name="warning" />} role="status">
          The session has used its limit of {bytes(maxBytes)} (<code>max_bytes</code>).{' '}
          {running ? 'Further requests are refused.' : 'Later requests were refused.'}
        </Alert>
      )}
      <Facts>
        <Fact name="Sent and received">
          {bytes(bytesUp)} up, {bytes(bytesDown)} down
        </Fact>
        <Fact name="Requests">{count(requests)}</Fact>
        <Fact name="Refused">{refusalsText(traffic.refused) || 'None'}</Fact>
        <Fact name="From cache">
          {bytes(bytesFromCache)} <span className="faint">(estimate)</span>
        </Fact>
        {types && (
          <Fact name="By type">
            {types} <span className="faint">(estimate)</span>
          </Fact>
        )}
        {traffic.cost !== null && (
          <Fact name="Cost">
            {costText(traffic.cost)}
            {traffic.costOfOneProxy !== null && traffic.proxies.length > 1 && (
              <span className="faint">
                {' '}
                ({costText(traffic.costOfOneProxy)} by the session’s own proxy alone)
              </span>
            )}
          </Fact>
        )}
        {maxBytes !== null && (
          <Fact name="Limit">
            {bytes(maxBytes)}, {maxBytesReached ? 'reached' : 'not reached'}
          </Fact>
        )}
      </Facts>
      <Proxies traffic={traffic} />
      <Destinations traffic={traffic} running={running} />
    </div>
  );
}

/** Of a session that has used several. */
function Proxies({ traffic: { proxies } }: { traffic: SessionTrafficView }) {
  if (proxies.length < 2) return null;
  return (
    <BarList
      label="Traffic by proxy"
      bars={proxies.map((use) => ({
        key: use.proxy,
        name: use.proxy,
        value: use.bytesUp + use.bytesDown,
        text: bytes(use.bytesUp + use.bytesDown),
        detail: proxyUseText(use),
      }))}
    />
  );
}

function Destinations({ traffic: { live, complete, destinations, other }, running }: TrafficDetailsProps) {
  const [all, setAll] = useState(false);
  // With several proxies a destination may be there more than once.
  const named = destinations.map((use) => ({
    ...use,
    name: `${use.host}:${use.port}${use.proxy === undefined ? '' : ` by ${use.proxy}`}`,
  }));
  const bars = isUsed(other) ? [...named, { ...other, name: 'All other destinations' }] : named;
  if (bars.length === 0) {
    if (!running) return <Empty icon="traffic" title="This session had no traffic" />;
    return (
      <Empty icon="traffic" title="No traffic yet">
        Destinations appear here as soon as the browser loads something.
      </Empty>
    );
  }
  const shown = all ? bars : bars.slice(0, first);
  return (
    <div>
      <BarList
        label="Traffic by destination"
        bars={shown.map(({ name, ...use }) => ({
          key: name,
          name,
          value: use.bytesUp + use.bytesDown,
          text: bytes(use.bytesUp + use.bytesDown),
          detail: trafficText(use),
        }))}
      />
      {bars.length > first && (
        <Button variant="default" size="xs" mt="md" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${count(bars.length)}`}
        </Button>
      )}
      {running && !live && (
        <p className="faint">The host does not answer. These are the figures that were stored last.</p>
      )}
      {!complete && (
        <p className="faint">
          An hour after its lifetime, a session keeps its ten largest destinations. The full list and the
          receipt are gone.
        </p>
      )}
    </div>
  );
}
