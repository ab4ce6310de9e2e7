import { Alert, Button, Stack } from '@mantine/core';
import { usePost } from '../api/queries.ts';
import { Icon } from '../parts/icons.tsx';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';

/** Sends a test event to a webhook and shows the answer. */
export function TestCard({ id }: { id: string }) {
  const test = usePost('/webhooks/:id/test', { params: { id } });
  return (
    <Card
      title="Test"
      about="Sends a signed event of the type webhook.test. It is not among the deliveries."
      actions={
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate(undefined)}>
          Send test event
        </Button>
      }
    >
      <Stack gap="sm">
        {test.error && <Problem error={test.error} />}
        {test.data ? (
          <Alert
            color={test.data.ok ? 'teal' : 'red'}
            icon={<Icon name={test.data.ok ? 'check' : 'warning'} />}
            role="status"
          >
            {test.data.status === null
              ? `The receiver did not answer: ${test.data.error}`
              : test.data.ok
                ? `The receiver accepted it with status ${test.data.status}.`
                : `The receiver answered ${test.data.status}. It must answer with a status from 200 to 299.`}
          </Alert>
        ) : (
          !test.error && <span className="faint">No test sent yet.</span>
        )}
      </Stack>
    </Card>
  );
}
