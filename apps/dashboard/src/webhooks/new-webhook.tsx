import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { type EventType, eventTypes } from '@turnpike/contract/events';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Secret, ShownOnce } from '../parts/values/secret.tsx';

export function NewWebhookCard() {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const create = usePost('/user/api/webhooks', { stale: ['/user/api/webhooks'] });
  const errors = useFieldErrors(create.error, ['url', 'events']);
  return (
    <Card title="New webhook">
      <Stack gap="sm">
        <Form
          noValidate
          onSubmit={() =>
            create.mutate(
              { url: url.trim(), events: events as EventType[] },
              {
                onSuccess: () => {
                  setUrl('');
                  setEvents([]);
                },
              },
            )
          }
        >
          <Stack>
            <TextInput
              label="URL"
              type="url"
              description="Receives a signed POST for each event. Must be a public address."
              placeholder="https://example.com/hook"
              autoComplete="off"
              {...errors.input('url', url, setUrl)}
            />
            <Checkbox.Group
              label="Events"
              description="Leave empty for all events"
              value={events}
              error={errors.at('events')}
              onChange={(chosen) => {
                setEvents(chosen);
                errors.changed('events');
              }}
            >
              <Group mt="xs">
                {eventTypes.map((type) => (
                  <Checkbox key={type} value={type} label={type} />
                ))}
              </Group>
            </Checkbox.Group>
            <Group justify="flex-end">
              <Button type="submit" loading={create.isPending}>
                Create webhook
              </Button>
            </Group>
          </Stack>
        </Form>
        {errors.rest && <Problem error={errors.rest} />}
        {create.data && (
          <>
            <ShownOnce>
              The receiver at <span className="mono break">{create.data.url}</span> verifies the signature of
              each request with this secret.
            </ShownOnce>
            <Secret name="Webhook secret" value={create.data.secret} />
          </>
        )}
      </Stack>
    </Card>
  );
}
