import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useGet, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Empty, Loaded, Problem } from '../parts/states.tsx';
import { DataTable } from '../parts/tables/data-table.tsx';
import { Secret, ShownOnce } from '../parts/values/secret.tsx';
import { Time } from '../parts/values/time.tsx';

export function Tokens() {
  const tokens = useGet('/operator/tokens');
  return (
    <Page title="Operator tokens" about="For programs that use the operator API with your permissions">
      <div className="stack">
        <NewToken />
        <Card title="Tokens" flush>
          <Loaded query={tokens}>
            {({ tokens: list }) => (
              <DataTable
                label="Operator tokens"
                rows={list}
                rowKey={({ id }) => id}
                columns={[
                  { name: 'Name', cell: ({ name }) => name },
                  { name: 'Id', cell: ({ id }) => <span className="mono">{id}</span> },
                  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
                  {
                    name: 'Actions',
                    actions: true,
                    cell: ({ id, name }) => <RevokeButton id={id} name={name} />,
                  },
                ]}
                empty={
                  <Empty icon="tokens" title="No tokens yet">
                    A proxy fleet needs one to send its usage records.
                  </Empty>
                }
              />
            )}
          </Loaded>
        </Card>
      </div>
    </Page>
  );
}

function NewToken() {
  const [name, setName] = useState('');
  const create = usePost('/operator/tokens', {
    stale: ['/operator/tokens'],
  });
  const errors = useFieldErrors(create.error, ['name']);
  return (
    <Card title="New token">
      <Stack gap="sm">
        <Form onSubmit={() => create.mutate({ name: name.trim() }, { onSuccess: () => setName('') })}>
          <Group align="flex-end" gap="sm">
            <TextInput
              className="grow"
              label="Name"
              placeholder="What uses this token"
              required
              maxLength={200}
              {...errors.input('name', name, setName)}
            />
            <Button type="submit" loading={create.isPending}>
              Create token
            </Button>
          </Group>
        </Form>
        {errors.rest && <Problem error={errors.rest} />}
        {create.data && (
          <>
            <ShownOnce />
            <Secret name="Operator token" value={create.data.token} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function RevokeButton({ id, name }: { id: string; name: string }) {
  const revoke = usePost('/operator/tokens/:id/revoke', {
    params: { id },
    stale: ['/operator/tokens'],
  });
  return (
    <Confirm action="Revoke" about={name} title={`Revoke ${name}?`} mutation={revoke} danger size="xs">
      Programs that use it get 401 from their next request.
    </Confirm>
  );
}
