import { CloseButton } from '@mantine/core';
import { Fact, Facts } from '../parts/page.tsx';
import { bytes } from '../parts/values/figures.ts';
import { ActionDetails } from './action-details.tsx';
import { eventText } from './event-text.ts';
import { clock } from './moments.ts';
import type { RecordingStore, RecordingView } from './recording-store.ts';
import type { ActionRow, CommandRow, ConsoleRow, EventRow, NetworkRow } from './rows.ts';
import { milliseconds } from './text.ts';

interface DetailsProps {
  row: ActionRow | CommandRow | NetworkRow | ConsoleRow | EventRow;
  store: RecordingStore;
  view: RecordingView;
  onCommands(): void;
  onClose(): void;
}

/** All that is known of one row. */
export function Details({ row, store, view, onCommands, onClose }: DetailsProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className="row-details" aria-label="Details" tabIndex={0}>
      <CloseButton className="row-details-close" aria-label="Close details" onClick={onClose} />
      {'action' in row ? (
        <ActionDetails row={row} store={store} view={view} onCommands={onCommands} />
      ) : 'command' in row ? (
        <CommandDetails row={row} />
      ) : 'request' in row ? (
        <NetworkDetails row={row} />
      ) : (
        <EventDetails row={row} />
      )}
    </section>
  );
}

function CommandDetails({ row: { t, command, done } }: { row: CommandRow }) {
  return (
    <div className="stack">
      <Facts>
        <Fact name="Command">
          <span className="mono">{command.method}</span>
        </Fact>
        <Fact name="Sent">
          {clock(t)} by client {command.client}
          {command.tab !== undefined && `, tab ${command.tab}`}
        </Fact>
        <Fact name="Answer">{done ? `after ${milliseconds(done.ms)}` : 'None'}</Fact>
        {done?.error !== undefined && <Fact name="Error">{done.error}</Fact>}
      </Facts>
      <Json title="Parameters" value={command.params} />
      <Json title="Result" value={done?.result} />
    </div>
  );
}

function NetworkDetails({ row }: { row: NetworkRow }) {
  const { request, response, done, failed, bodies, t, endMs } = row;
  const { timing } = response ?? {};
  return (
    <div className="stack">
      <Facts>
        <Fact name="Address">
          <span className="mono">{request.url}</span>
        </Fact>
        <Fact name="Request">
          {request.method} · {request.type}, caused by {request.initiator}
          {request.isRedirect && ', redirected'}
        </Fact>
        <Fact name="Response">
          {failed
            ? `${failed.error}${failed.isCanceled ? ' (canceled)' : ''}`
            : response
              ? [`${response.status} ${response.statusText}`.trim(), response.mimeType, response.protocol]
                  .filter(Boolean)
                  .join(' · ')
              : 'None'}
        </Fact>
        <Fact name="Size">{response?.fromCache ? 'From the cache' : done ? bytes(done.bytes) : '–'}</Fact>
        <Fact name="Time">
          {clock(t)}
          {endMs !== undefined && `, took ${milliseconds(endMs - t)}`}
          {timing && ` (${timingText(timing)})`}
        </Fact>
      </Facts>
      <Headers title="Request headers" headers={request.headers} />
      {response && <Headers title="Response headers" headers={response.headers} />}
      {bodies.map((body) => (
        <div key={body.of}>
          <h2 className="details-title">
            {body.of === 'request' ? 'Request body' : 'Response body'}
            {body.isCut && ' (the beginning)'}
          </h2>
          <pre className="details-code">
            {body.text ?? `${body.base64?.length ?? 0} characters of base64`}
          </pre>
        </div>
      ))}
    </div>
  );
}

const timingText = (timing: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(timing)
    .filter(([, ms]) => ms !== undefined)
    .map(([name, ms]) => `${name} ${milliseconds(ms ?? 0)}`)
    .join(', ');

function Headers({ title, headers }: { title: string; headers: Readonly<Record<string, string>> }) {
  return (
    <div>
      <h2 className="details-title">{title}</h2>
      <Facts>
        {Object.entries(headers).map(([name, value]) => (
          <Fact key={name} name={name}>
            <span className="mono">{value}</span>
          </Fact>
        ))}
      </Facts>
    </div>
  );
}

function EventDetails({ row: { t, event } }: { row: ConsoleRow | EventRow }) {
  const isConsole = event.kind === 'console' || event.kind === 'exception';
  const { name, detail } = isConsole ? { name: event.kind, detail: event.text } : eventText(event);
  const place =
    isConsole && event.url ? `${event.url}${event.line === undefined ? '' : `:${event.line}`}` : '';
  return (
    <div className="stack">
      <Facts>
        <Fact name={isConsole && event.kind === 'console' ? `Console: ${event.level}` : name}>
          {clock(t)}
        </Fact>
        {event.tab !== undefined && <Fact name="Tab">{event.tab}</Fact>}
        {place && <Fact name="Place">{place}</Fact>}
      </Facts>
      {detail && <pre className="details-code">{detail}</pre>}
    </div>
  );
}

function Json({ title, value }: { title: string; value: unknown }) {
  if (value === undefined || JSON.stringify(value) === '{}') return null;
  return (
    <div>
      <h2 className="details-title">{title}</h2>
      <pre className="details-code">{JSON.stringify(value, null, 2)}</pre>
    </div>
  );
}
