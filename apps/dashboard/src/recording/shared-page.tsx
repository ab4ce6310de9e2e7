import { useState, useSyncExternalStore } from 'react';
import { ApiFailure } from '../api/request.ts';
import { Brand } from '../parts/brand.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Player } from './player.tsx';
import { Summary, useRecording } from './recording-page.tsx';
import { sharedRecording } from './recording-source.ts';

const never = () => () => {};
const nothing = () => undefined;

/** A recording that somebody shared. Nobody is signed in: the link's token reads it. */
export default function SharedPage() {
  const [token] = useState(() => new URLSearchParams(location.hash.replace(/^#/, '')).get('token') ?? '');
  const store = useRecording(() => sharedRecording(token), token);
  const view = useSyncExternalStore(store?.subscribe ?? never, store?.view ?? nothing);
  return (
    <main className="shared-recording">
      <Brand />
      <Page title="Shared recording" about={view?.recording && <Summary recording={view.recording} />}>
        {store && view?.recording ? (
          <Player store={store} />
        ) : view?.error ? (
          <NoShared error={view.error} onRetry={() => void store?.open(undefined)} />
        ) : (
          <Loading lines={8} />
        )}
      </Page>
    </main>
  );
}

function NoShared({ error, onRetry }: { error: Error; onRetry(): void }) {
  const isGone = error instanceof ApiFailure && (error.status === 410 || error.status === 404);
  if (!isGone) return <Problem error={error} onRetry={onRetry} />;
  return (
    <Card>
      <Empty icon="record" title="This link does not work any more">
        It has expired, or the recording was deleted. Ask the person who sent it to you for a new one.
      </Empty>
    </Card>
  );
}
