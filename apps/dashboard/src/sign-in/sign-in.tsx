import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SignIn as Credentials } from '@turnpike/contract/dashboard/people';
import { useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { meKey } from '../api/queries.ts';
import { post } from '../api/request.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Problem } from '../parts/states.tsx';
import { AuthLayout } from './auth-layout.tsx';

/** Guides are pages of their own, and say where to go back to. Nowhere else can a link lead from here. */
const guidePath = /^\/docs(\/[\w-]+)*$/;

/** Shown at any address while nobody is signed in. After signing in, that address's page is shown. */
export function SignIn() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search } = useLocation();
  const signIn = useMutation({
    mutationFn: (credentials: Credentials) => post('/sign-in', { body: credentials }),
    onSuccess: (person) => {
      client.setQueryData(meKey, person);
      if (pathname !== '/sign-in') return;
      const next = new URLSearchParams(search).get('next') ?? '';
      if (guidePath.test(next)) location.replace(next);
      else void navigate('/', { replace: true });
    },
  });
  const errors = useFieldErrors(signIn.error, []);
  return (
    <AuthLayout title="Sign in">
      <Form onSubmit={() => signIn.mutate({ email, password })}>
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
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            {...errors.input('password', password, setPassword)}
          />
          <Button type="submit" loading={signIn.isPending} fullWidth>
            Sign in
          </Button>
          <Anchor component={Link} to="/forgot-password" size="sm">
            Forgot password?
          </Anchor>
          <Text c="dimmed" size="sm">
            No password yet? Ask your operator for a link.
          </Text>
        </Stack>
      </Form>
    </AuthLayout>
  );
}
