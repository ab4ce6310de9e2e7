import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'react-router';
import { useGet } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Loaded } from '../parts/states.tsx';
import { counted } from '../parts/values/figures.ts';
import { History } from './history.tsx';
import { RunningTable } from './running-table.tsx';

export function Sessions() {
  const running = useGet('/running', { everyMs: 2_000 });
  const { concurrency, sessions } = running.data ?? {};
  const ids = sessions?.map(({ browserId }) => browserId).join();
  const client = useQueryClient();
  // Refresh the history when a session starts or ends.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids are what this waits for
  useEffect(() => {
    void client.invalidateQueries({ queryKey: ['/sessions'] });
  }, [client, ids]);
  return (
    <Page
      title="Sessions"
      actions={
        <Button component={Link} to="/new-session" leftSection={<Icon name="plus" size={16} />}>
          New session
        </Button>
      }
    >
      <div className="stack">
        <Card
          title="Running now"
          about={
            concurrency &&
            (concurrency.unlimited
              ? `${counted(concurrency.active, 'session')}, no limit`
              : `${concurrency.active} of ${counted(concurrency.limit, 'slot')} in use`)
          }
          flush
        >
          <Loaded query={running}>{({ sessions }) => <RunningTable sessions={sessions} />}</Loaded>
        </Card>
        <History />
      </div>
    </Page>
  );
}
