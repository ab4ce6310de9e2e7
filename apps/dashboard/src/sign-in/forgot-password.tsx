import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { useGet, usePost } from '../api/queries.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Loaded, Problem } from '../parts/states.tsx';
import { AuthLayout } from './auth-layout.tsx';

/** Asks for a link to set a new password. */
export function ForgotPassword() {
  const options = useGet('/sign-in/options');
  return (
    <AuthLayout title="Forgot password">
      <Stack>
        <Loaded query={options}>
          {({ passwordReset }) =>
            passwordReset ? (
              <RequestForm />
            ) : (
              <Text size="sm">
                This service does not send e-mail. Ask your operator for a link to set a new password.
              </Text>
            )
          }
        </Loaded>
        <Anchor component={Link} to="/sign-in" size="sm">
          Back to sign in
        </Anchor>
      </Stack>
    </AuthLayout>
  );
}

function RequestForm() {
  const [email, setEmail] = useState('');
  const request = usePost('/password-reset');
  const errors = useFieldErrors(request.error, ['email']);
  if (request.isSuccess) {
    return (
      <Alert color="teal" role="status">
        If {email} can sign in here, an e-mail with a link is on its way. The link works for an hour. Look in
        the spam folder too.
      </Alert>
    );
  }
  return (
    <Form onSubmit={() => request.mutate({ email })}>
      <Stack>
        {errors.rest && <Problem error={errors.rest} />}
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          required
          autoFocus
          {...errors.input('email', email, setEmail)}
        />
        <Button type="submit" loading={request.isPending} fullWidth>
          Send link
        </Button>
      </Stack>
    </Form>
  );
}
