import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useGet, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { failureAt, otherFailure } from '../parts/field-errors.ts';
import { Icon } from '../parts/icons.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Empty, Loaded, Problem } from '../parts/states.tsx';
import { Time } from '../parts/time.tsx';

export function Tokens() {
  const tokens = useGet('/operator/tokens');
  return (
    <Page title="Operator tokens" about="For programs that use the operator API with your permissions">
      <div className="stack">
        <NewToken />
        <Card title="Tokens" flush>
          <Loaded query={tokens}>
            {({ tokens: list }) =>
              list.length === 0 ? (
                <Empty icon="tokens" title="No tokens yet">
                  A proxy fleet needs one to send its usage records.
                </Empty>
              ) : (
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
                />
              )
            }
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
  const rest = otherFailure(create.error, ['name']);
  return (
    <Card title="New token">
      <Stack gap="sm">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate({ name: name.trim() }, { onSuccess: () => setName('') });
          }}
        >
          <Group align="flex-end" gap="sm">
            <TextInput
              className="grow"
              label="Name"
              placeholder="What uses this token"
              required
              maxLength={200}
              value={name}
              error={failureAt(create.error, 'name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" loading={create.isPending}>
              Create token
            </Button>
          </Group>
        </form>
        {rest && <Problem error={rest} />}
        {create.data && (
          <>
            <Alert
              color="yellow"
              icon={<Icon name="warning" />}
              title="Copy it now. It is shown only once."
            />
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
