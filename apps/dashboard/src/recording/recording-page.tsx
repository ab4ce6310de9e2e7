import { Anchor, Button, Menu } from '@mantine/core';
import type { Recording } from '@turnpike/contract/recording-answers';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useDelete, useGet } from '../api/queries.ts';
import { ApiFailure, downloadUrl } from '../api/request.ts';
import { BackButton } from '../parts/back-button.tsx';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card, Fact, Facts, Page } from '../parts/page.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { bytes, counted, duration } from '../parts/values/figures.ts';
import { Status } from '../parts/values/status.tsx';
import { Time } from '../parts/values/time.tsx';
import { NotRecorded } from '../sessions/not-recorded.tsx';
import { PauseClients } from '../sessions/pause-clients.tsx';
import { TrafficCard } from '../sessions/traffic-card.tsx';
import { momentOf } from './moments.ts';
import { Player } from './player.tsx';
import { ownRecording, type RecordingSource } from './recording-source.ts';
import { RecordingStore } from './recording-store.ts';
import { ShareButton } from './share-button.tsx';

/** Opens a recording, and closes it with the page. */
export function useRecording(newSource: () => RecordingSource, key: string): RecordingStore | undefined {
  const [store, setStore] = useState<RecordingStore | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the source
  useEffect(() => {
    const opened = new RecordingStore(newSource());
    void opened.open(momentOf(location.hash));
    setStore(opened);
    return () => opened.close();
  }, [key]);
  return store;
}

const never = () => () => {};
const nothing = () => undefined;

/** One recording of the account: the player and, while its session runs, the live inspector. */
export default function RecordingPage() {
  const { id = '' } = useParams();
  const store = useRecording(() => ownRecording(id), id);
  const view = useSyncExternalStore(store?.subscribe ?? never, store?.view ?? nothing);
  const recording = view?.recording;
  const isRunning = recording?.state === 'recording';
  return (
    <Page
      title="Recording"
      about={
        <>
          <span className="mono break">{id}</span>
          {recording && <Summary recording={recording} />}
        </>
      }
      actions={
        <>
          <BackButton to={`/sessions/${id}`}>Session</BackButton>
          {recording && (
            <>
              <ShareButton id={id} />
              <Downloads id={id} />
              <DeleteButton id={id} />
            </>
          )}
        </>
      }
    >
      {store && recording ? (
        <div className="stack">
          <Player store={store}>{isRunning && <Inspector id={id} />}</Player>
          {isRunning && <TrafficCard id={id} running />}
        </div>
      ) : view?.error ? (
        <NoRecording error={view.error} onRetry={() => void store?.open(undefined)} />
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  );
}

export function Summary({ recording }: { recording: Recording }) {
  const { startedAt, durationMs, errors, state } = recording;
  return (
    <div>
      {state === 'recording' && (
        <>
          <Status of="live" /> ·{' '}
        </>
      )}
      <Time at={startedAt} /> · {duration(durationMs / 1000)} · {counted(errors, 'error')} ·{' '}
      {bytes(recording.bytes)}
    </div>
  );
}

function NoRecording({ error, onRetry }: { error: Error; onRetry(): void }) {
  if (!(error instanceof ApiFailure && error.status === 404))
    return <Problem error={error} onRetry={onRetry} />;
  return (
    <Card>
      <NotRecorded />
    </Card>
  );
}

/** What a running session has besides its recording. */
function Inspector({ id }: { id: string }) {
  const session = useGet('/sessions/:id', { params: { id }, everyMs: 2_000 });
  const { data } = session;
  if (data?.status !== 'ACTIVE') return null;
  return (
    <Card title="Session" actions={<PauseClients id={id} />}>
      <Facts>
        <Fact name="Client">
          {data.connectedAt === null
            ? 'None has connected yet'
            : data.disconnectedAt === null
              ? 'Connected'
              : 'Disconnected'}
        </Fact>
        <Fact name="Live view">
          {data.vncUrl ? (
            <Anchor component={Link} to={`/sessions/${id}`} size="sm" underline="always">
              Open the live view
            </Anchor>
          ) : (
            'None: the session is headless, or was created with vnc=false'
          )}
        </Fact>
      </Facts>
    </Card>
  );
}

const formats = [
  ['har', 'HAR 1.2 (network)'],
  ['ndjson', 'NDJSON (everything)'],
  ['webm', 'WebM (video)'],
] as const;

function Downloads({ id }: { id: string }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={16} />}>
          Download
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formats.map(([format, label]) => (
          <Menu.Item
            key={format}
            component="a"
            download
            href={downloadUrl('/api/browser/:id/recording/export', { params: { id }, query: { format } })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function DeleteButton({ id }: { id: string }) {
  const navigate = useNavigate();
  const remove = useDelete('/api/browser/:id/recording', { params: { id }, stale: ['/sessions'] });
  return (
    <Confirm
      action="Delete"
      about="recording"
      title="Delete this recording?"
      mutation={remove}
      onDone={() => void navigate(`/sessions/${id}`)}
      danger
    >
      Its events and pictures are deleted for good, and links to it stop working. The session itself stays in
      the history.
    </Confirm>
  );
}
