import { Alert, Button, Group, Modal, PasswordInput, Stack } from '@mantine/core';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Problem } from '../parts/states.tsx';
import { passwordRule } from '../sign-in/password-rule.ts';

export function PasswordDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Change password">
      <PasswordForm onClose={onClose} />
    </Modal>
  );
}

const fields = ['current', 'password'] as const;

/** Rendered inside the dialog, so that what was typed is cleared when it closes. */
function PasswordForm({ onClose }: { onClose: () => void }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = usePost('/password');
  const errors = useFieldErrors(change.error, fields);
  if (change.isSuccess) {
    return (
      <Stack>
        <Alert color="teal">Your password was changed. All other browsers are signed out.</Alert>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Form onSubmit={() => change.mutate({ current, password })}>
      <Stack>
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          data-autofocus
          {...errors.input('current', current, setCurrent)}
        />
        <PasswordInput
          label="New password"
          description={`At least ${passwordRule.min} characters. Other browsers are signed out.`}
          autoComplete="new-password"
          required
          minLength={passwordRule.min}
          maxLength={passwordRule.max}
          {...errors.input('password', password, setPassword)}
        />
        {errors.rest && <Problem error={errors.rest} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={change.isPending}>
            Change password
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}
