import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useGet, usePost } from '../api/queries.ts';
import { ApiFailure, post } from '../api/request.ts';
import { Icon } from '../parts/icons.tsx';
import { duration } from '../parts/values/figures.ts';
import { dropPause, holdPause, leavePause, takePause } from './held-pauses.ts';

/** The host ends a pause that is not renewed for 30 seconds. */
const renewMs = 10_000;

/** Lets connected programs wait while a person uses the browser, and gives it back to them. */
export function PauseClients({ id }: { id: string }) {
  const [holder, setHolder] = useState<string | undefined>(() => takePause(id));
  const clients = useGet('/sessions/:id/clients', {
    params: { id },
    query: { holder },
    everyMs: 2_000,
    // Whose it is changes what is asked, and not what is shown meanwhile.
    keepPrevious: true,
  });
  const pause = usePost('/sessions/:id/clients/pause', { params: { id }, stale: ['/sessions'] });
  const resume = usePost('/sessions/:id/clients/resume', { params: { id }, stale: ['/sessions'] });
  const renewal = useRenewal(id, holder, () => over());
  const over = () => {
    dropPause(id);
    setHolder(undefined);
  };
  const { data } = clients;
  if (!data) return null;
  const begin = () => {
    const next = newHolder();
    resume.reset();
    const begun = () => {
      holdPause(id, next);
      setHolder(next);
    };
    pause.mutate({ holder: next }, { onSuccess: begun });
  };
  const end = () => {
    if (holder === undefined) return;
    resume.mutate({ holder }, { onSuccess: over });
  };
  const isMine = holder !== undefined;
  const problem = pause.error ?? resume.error ?? renewal;
  return (
    <div className="pause-clients">
      <span className="faint" role="status">
        {problem && !isMine
          ? problem.message
          : isMine
            ? `The client waits${data.endsInSeconds === null ? '' : `, for ${duration(data.endsInSeconds)} at most`}.`
            : data.pausedBy
              ? `Paused by ${data.pausedBy}.`
              : ''}
      </span>
      {isMine ? (
        <Button
          size="compact-sm"
          leftSection={<Icon name="play" size={15} />}
          loading={resume.isPending}
          onClick={end}
        >
          Resume the client
        </Button>
      ) : (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon name="pause" size={15} />}
          disabled={data.pausedBy !== null}
          loading={pause.isPending}
          onClick={begin}
        >
          Pause the client
        </Button>
      )}
    </div>
  );
}

/** Renews the pause while the page is there, and ends it when no page goes on with it. Returns what went wrong last. */
function useRenewal(id: string, holder: string | undefined, onOver: () => void): Error | undefined {
  const [problem, setProblem] = useState<Error | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new function every time, which means the same
  useEffect(() => {
    if (holder === undefined) return;
    takePause(id);
    setProblem(undefined);
    const request = { params: { id }, body: { holder } };
    const renew = async () => {
      try {
        const { isYours } = await post('/sessions/:id/clients/renew', request);
        if (isYours) return;
        setProblem(new Error('The pause is over, and the client goes on.'));
        onOver();
      } catch (error) {
        // A gateway that does not answer now may do so before the pause lapses.
        if (error instanceof ApiFailure && error.status === 410) onOver();
      }
    };
    const giveBack = () =>
      void post('/sessions/:id/clients/resume', { ...request, keepalive: true }).catch(() => {});
    const timer = setInterval(() => void renew(), renewMs);
    window.addEventListener('pagehide', giveBack);
    return () => {
      clearInterval(timer);
      window.removeEventListener('pagehide', giveBack);
      leavePause(id, holder, giveBack);
    };
  }, [id, holder]);
  return problem;
}

/** `crypto.randomUUID` is missing on pages without TLS. */
function newHolder(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
