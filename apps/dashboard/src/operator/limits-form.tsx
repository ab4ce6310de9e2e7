import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { OperatorAccount } from '@turnpike/contract/dashboard/operator-pages';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';

/** An empty field means no limit. The form has hours, the API seconds. */
const text = (value: number | null, divisor = 1): string => (value === null ? '' : String(value / divisor));

/** NaN for text that is not a number. */
const number = (typed: string, factor = 1): number | null =>
  typed.trim() === '' ? null : Math.round(Number(typed) * factor);

const notANumber = 'Enter a number, or leave it empty for no limit.';
const fields = ['concurrent', 'browserSecondsCap', 'createsPerMinute'];

export function LimitsForm({ account }: { account: OperatorAccount }) {
  const { limits } = account;
  const [concurrent, setConcurrent] = useState(text(limits.concurrent));
  const [browserHours, setBrowserHours] = useState(text(limits.browserSecondsCap, 3600));
  const [createsPerMinute, setCreatesPerMinute] = useState(text(limits.createsPerMinute));
  const change = usePost('/operator/accounts/:id/limits', {
    params: { id: account.id },
    stale: ['/operator/accounts'],
  });
  const errors = useFieldErrors(change.error, fields);
  const wanted = {
    concurrent: number(concurrent),
    browserSecondsCap: number(browserHours, 3600),
    createsPerMinute: Number(createsPerMinute),
  };
  const errorAt = (field: keyof typeof wanted) =>
    Number.isNaN(wanted[field]) ? notANumber : errors.at(field);
  return (
    <Card title="Limits" about="Takes effect on the next request.">
      <Form
        noValidate
        onSubmit={() => {
          // In JSON a NaN would be null, which is no limit.
          if (!Object.values(wanted).some(Number.isNaN)) change.mutate(wanted);
        }}
      >
        <Stack gap="sm">
          <TextInput
            label="Concurrent browsers"
            description="Leave empty for no limit"
            inputMode="numeric"
            {...errors.input('concurrent', concurrent, setConcurrent)}
            error={errorAt('concurrent')}
          />
          <TextInput
            label="Browser hours, in total"
            description="Leave empty for no limit"
            inputMode="decimal"
            {...errors.input('browserSecondsCap', browserHours, setBrowserHours)}
            error={errorAt('browserSecondsCap')}
          />
          <TextInput
            label="Creates per minute"
            inputMode="numeric"
            {...errors.input('createsPerMinute', createsPerMinute, setCreatesPerMinute)}
            error={errorAt('createsPerMinute')}
          />
          {errors.rest && <Problem error={errors.rest} />}
          <Group justify="flex-end">
            <Text size="sm" c="dimmed" role="status">
              {change.isSuccess ? 'Saved' : ''}
            </Text>
            <Button type="submit" loading={change.isPending}>
              Save limits
            </Button>
          </Group>
        </Stack>
      </Form>
    </Card>
  );
}
