import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useGet, useMe, usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Card, Page } from '../parts/page.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { DataTable } from '../parts/tables/data-table.tsx';
import { Secret, ShownOnce } from '../parts/values/secret.tsx';
import { Ago, Time } from '../parts/values/time.tsx';

export function Operators() {
  const operators = useGet('/operator/operators');
  const { data: me } = useMe();
  return (
    <Page title="Operators" about="People who run this service">
      <div className="stack">
        <NewOperatorCard />
        <Card title="Operators" flush>
          <Loaded query={operators}>
            {({ operators: list }) => (
              <DataTable
                label="Operators"
                rows={list}
                rowKey={({ id }) => id}
                columns={[
                  {
                    name: 'E-mail address',
                    cell: ({ id, email }) => (id === me?.id ? `${email} (you)` : email),
                  },
                  { name: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
                  {
                    name: 'Last sign-in',
                    cell: ({ password, lastSignInAt }) =>
                      lastSignInAt ? <Ago at={lastSignInAt} /> : password ? 'Never' : 'Invited',
                  },
                  {
                    name: 'Actions',
                    actions: true,
                    cell: ({ id, email }) => id !== me?.id && <RemoveButton id={id} email={email} />,
                  },
                ]}
              />
            )}
          </Loaded>
        </Card>
      </div>
    </Page>
  );
}

function NewOperatorCard() {
  const [email, setEmail] = useState('');
  const invite = usePost('/operator/operators', { stale: ['/operator/operators'] });
  const errors = useFieldErrors(invite.error, ['email']);
  return (
    <Card title="Invite an operator" about="For an existing operator, this creates a new link.">
      <Stack gap="sm">
        <Form onSubmit={() => invite.mutate({ email }, { onSuccess: () => setEmail('') })}>
          <Group align="flex-end" gap="sm">
            <TextInput
              className="grow"
              label="E-mail address"
              type="email"
              required
              maxLength={254}
              {...errors.input('email', email, setEmail)}
            />
            <Button type="submit" loading={invite.isPending}>
              Invite
            </Button>
          </Group>
        </Form>
        {errors.rest && <Problem error={errors.rest} />}
        {invite.data && (
          <>
            <ShownOnce>
              It sets the operator's password and works once, until <Time at={invite.data.expiresAt} />.
            </ShownOnce>
            <Secret name="Invitation link" value={invite.data.url} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function RemoveButton({ id, email }: { id: string; email: string }) {
  const remove = usePost('/operator/operators/:id/remove', {
    params: { id },
    stale: ['/operator/operators'],
  });
  return (
    <Confirm action="Remove" about={email} title={`Remove ${email}?`} mutation={remove} danger size="xs">
      This operator is signed out at once and cannot sign in again.
    </Confirm>
  );
}
