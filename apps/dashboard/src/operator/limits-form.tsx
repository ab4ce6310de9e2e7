import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { OperatorAccount } from '@turnpike/contract/dashboard/operator-pages';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { failureAt, otherFailure } from '../parts/field-errors.ts';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';

/** An empty field means no limit. The form has hours, the API seconds. */
const text = (value: number | null, divisor = 1): string => (value === null ? '' : String(value / divisor));

/** What is no number goes to the gateway as it is, which says so. */
const number = (typed: string, factor = 1): number | null =>
  typed.trim() === '' ? null : Math.round(Number(typed) * factor);

export function LimitsForm({ account }: { account: OperatorAccount }) {
  const { limits } = account;
  const [concurrent, setConcurrent] = useState(text(limits.concurrent));
  const [browserHours, setBrowserHours] = useState(text(limits.browserSecondsCap, 3600));
  const [createsPerMinute, setCreatesPerMinute] = useState(text(limits.createsPerMinute));
  const change = usePost('/operator/accounts/:id/limits', {
    params: { id: account.id },
    stale: ['/operator/accounts'],
  });
  const rest = otherFailure(change.error, ['concurrent', 'browserSecondsCap', 'createsPerMinute']);
  return (
    <Card title="Limits" about="Takes effect on the next request.">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate({
            concurrent: number(concurrent),
            browserSecondsCap: number(browserHours, 3600),
            createsPerMinute: Number(createsPerMinute),
          });
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Concurrent browsers"
            description="Leave empty for no limit"
            inputMode="numeric"
            value={concurrent}
            error={failureAt(change.error, 'concurrent')}
            onChange={(event) => setConcurrent(event.currentTarget.value)}
          />
          <TextInput
            label="Browser hours, in total"
            description="Leave empty for no limit"
            inputMode="decimal"
            value={browserHours}
            error={failureAt(change.error, 'browserSecondsCap')}
            onChange={(event) => setBrowserHours(event.currentTarget.value)}
          />
          <TextInput
            label="Creates per minute"
            inputMode="numeric"
            value={createsPerMinute}
            error={failureAt(change.error, 'createsPerMinute')}
            onChange={(event) => setCreatesPerMinute(event.currentTarget.value)}
          />
          {rest && <Problem error={rest} />}
          <Group justify="flex-end">
            <Text size="sm" c="dimmed" role="status">
              {change.isSuccess ? 'Saved' : ''}
            </Text>
            <Button type="submit" loading={change.isPending}>
              Save limits
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}
