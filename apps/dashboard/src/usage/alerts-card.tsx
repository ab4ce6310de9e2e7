import { Button, Checkbox, Group, NumberInput, Stack, Text } from '@mantine/core';
import type { UsageAlertsView } from '@turnpike/contract/dashboard/account-pages';
import { useState } from 'react';
import { useGet, usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Card } from '../parts/page.tsx';
import { Loaded, Problem } from '../parts/states.tsx';

const offered = [50, 75, 80, 90, 100];

/** When the account's users get an e-mail about its usage. */
export function AlertsCard() {
  const alerts = useGet('/alerts');
  return (
    <Card title="E-mail alerts" about="One e-mail for each limit that is passed.">
      <Loaded query={alerts}>
        {(data) =>
          data.available ? (
            <AlertsForm alerts={data} />
          ) : (
            <Text size="sm" c="dimmed">
              This service does not send e-mail. Ask your operator, or use a webhook for usage events.
            </Text>
          )
        }
      </Loaded>
    </Card>
  );
}

function AlertsForm({ alerts }: { alerts: UsageAlertsView }) {
  const [percents, setPercents] = useState(alerts.hoursPercent.map(String));
  const [gigabytes, setGigabytes] = useState<string | number>(alerts.bandwidthGigabytes ?? '');
  const save = usePost('/alerts', { stale: ['/alerts'] });
  const errors = useFieldErrors(save.error, ['bandwidthGigabytes']);
  const choices = [...new Set([...offered, ...alerts.hoursPercent])].sort((a, b) => a - b);
  return (
    <Form
      onSubmit={() =>
        save.mutate({
          hoursPercent: percents.map(Number),
          bandwidthGigabytes: gigabytes === '' ? null : Number(gigabytes),
        })
      }
    >
      <Stack gap="sm">
        <Checkbox.Group
          label="Browser hours used"
          description="Share of the hours that the account has"
          value={percents}
          onChange={(values) => {
            setPercents(values);
            save.reset();
          }}
        >
          <Group gap="md" mt="xs">
            {choices.map((percent) => (
              <Checkbox key={percent} value={String(percent)} label={`${percent}%`} />
            ))}
          </Group>
        </Checkbox.Group>
        <NumberInput
          label="Bandwidth in a month, in GB"
          description="All products together, by UTC month. Leave empty for no alert"
          min={1}
          max={1_000_000_000}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          value={gigabytes}
          error={errors.at('bandwidthGigabytes')}
          onChange={(value) => {
            setGigabytes(value);
            save.reset();
          }}
        />
        <Text size="sm" c="dimmed">
          E-mails go to {alerts.recipients.join(', ')}.
        </Text>
        {errors.rest && <Problem error={errors.rest} />}
        <Group justify="flex-end">
          <Text size="sm" c="dimmed" role="status">
            {save.isSuccess ? 'Saved' : ''}
          </Text>
          <Button type="submit" loading={save.isPending}>
            Save alerts
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
