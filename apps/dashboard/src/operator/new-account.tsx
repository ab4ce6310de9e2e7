import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { NewAccountSecrets } from '@turnpike/contract/dashboard/operator-pages';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Icon } from '../parts/icons.tsx';
import { Problem } from '../parts/states.tsx';
import { Secret, ShownOnce } from '../parts/values/secret.tsx';
import { Time } from '../parts/values/time.tsx';

export function NewAccountButton() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<Icon name="plus" size={16} />} onClick={open}>
        New account
      </Button>
      <Modal opened={opened} onClose={close} title="New account" size="lg">
        <NewAccountForm onClose={close} />
      </Modal>
    </>
  );
}

function NewAccountForm({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const create = usePost('/operator/accounts', {
    stale: ['/operator/accounts', '/operator/overview'],
  });
  const errors = useFieldErrors(create.error, ['email', 'name']);
  if (create.data) return <Created created={create.data} onClose={onClose} />;
  return (
    <Form onSubmit={() => create.mutate({ email, ...(name.trim() ? { name: name.trim() } : {}) })}>
      <Stack>
        <TextInput
          label="E-mail address"
          type="email"
          required
          data-autofocus
          maxLength={254}
          {...errors.input('email', email, setEmail)}
        />
        <TextInput label="Name" maxLength={200} {...errors.input('name', name, setName)} />
        <Text size="sm" c="dimmed">
          It starts with 5 concurrent browsers, 48 browser hours and 60 creates per minute. You can change
          these limits on the account's page.
        </Text>
        {errors.rest && <Problem error={errors.rest} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create account
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

function Created({ created, onClose }: { created: NewAccountSecrets; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Stack gap="sm">
      <ShownOnce>
        Send the invitation to {created.account.email}: it sets the password for this dashboard. It works
        once, until <Time at={created.invitation.expiresAt} />. The owner can rotate the other secrets later.
      </ShownOnce>
      <Named name="Invitation link" value={created.invitation.url} />
      <Named name="API key" value={created.apiKey} />
      <Named name="Statistics token" value={created.statsToken} />
      <Named name="Proxy login" value={`${created.proxyUser}:${created.proxyPassword}`} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Done
        </Button>
        <Button onClick={() => navigate(`/accounts/${created.account.id}`)}>Go to account</Button>
      </Group>
    </Stack>
  );
}

function Named({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {name}
      </Text>
      <Secret name={name} value={value} />
    </div>
  );
}
