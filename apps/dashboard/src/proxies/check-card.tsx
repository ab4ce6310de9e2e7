import { Alert, Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { checkText } from './proxy-text.ts';

/** Dials one proxy now, with an address through it if one is given. */
export function CheckCard({ name }: { name: string }) {
  const [url, setUrl] = useState('');
  const [country, setCountry] = useState('');
  const check = usePost('/user/api/proxies/:name/check', { params: { name }, stale: ['/user/api/proxies'] });
  const errors = useFieldErrors(check.error, ['url', 'country']);
  const submit = () =>
    check.mutate({
      ...(url.trim() !== '' && { url: url.trim() }),
      ...(country.trim() !== '' && { country: country.trim().toUpperCase() }),
    });
  return (
    <Card title="Check" about="Dials the proxy now. A check counts in its state.">
      <Stack>
        <Form noValidate onSubmit={submit}>
          <div className="filters">
            <TextInput
              className="grow"
              label="Address to fetch"
              placeholder="optional: https://example.com/"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              {...errors.input('url', url, setUrl)}
            />
            <TextInput
              label="Country"
              placeholder="for a template"
              maxLength={2}
              {...errors.input('country', country, setCountry)}
            />
            <Button type="submit" loading={check.isPending}>
              Check now
            </Button>
          </div>
        </Form>
        {errors.rest && <Problem error={errors.rest} />}
        {check.data && (
          <Alert
            color={check.data.ok ? 'green' : 'red'}
            icon={<Icon name={check.data.ok ? 'check' : 'warning'} />}
            role="status"
          >
            {checkText(check.data)}
          </Alert>
        )}
      </Stack>
    </Card>
  );
}
