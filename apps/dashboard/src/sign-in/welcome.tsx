import { Button, PasswordInput, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { LinkUse, Link as SignInLink } from '@turnpike/contract/dashboard/people';
import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { meKey } from '../api/queries.ts';
import { post } from '../api/request.ts';
import { useFieldErrors } from '../parts/forms/field-errors.ts';
import { Form } from '../parts/forms/form.tsx';
import { Loading, Problem } from '../parts/states.tsx';
import { Time } from '../parts/values/time.tsx';
import { AuthLayout } from './auth-layout.tsx';
import { passwordRule } from './password-rule.ts';

/** The page of an invitation or a reset: `/welcome#token=…`. */
export function Welcome() {
  const token = useLinkToken();
  const link = useQuery({
    queryKey: ['/link/look', token],
    queryFn: () => post('/link/look', { body: { token: token ?? '' } }),
    enabled: token !== undefined,
    retry: false,
    gcTime: 0,
  });
  if (token === undefined) {
    return (
      <AuthLayout title="Welcome">
        <Problem error={new Error('This link is incomplete. Open the whole link that you received.')} />
        <Link to="/">Sign in</Link>
      </AuthLayout>
    );
  }
  if (link.error) {
    return (
      <AuthLayout title="Welcome">
        <Problem error={link.error} />
        <Link to="/">Sign in</Link>
      </AuthLayout>
    );
  }
  if (!link.data) {
    return (
      <AuthLayout title="Welcome">
        <Loading />
      </AuthLayout>
    );
  }
  return <SetPassword token={token} link={link.data} />;
}

function SetPassword({ token, link }: { token: string; link: SignInLink }) {
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const set = useMutation({
    mutationFn: (use: LinkUse) => post('/link/use', { body: use }),
    onSuccess: (person) => {
      client.clear();
      client.setQueryData(meKey, person);
      void navigate('/', { replace: true });
    },
  });
  const errors = useFieldErrors(set.error, []);
  return (
    <AuthLayout
      title={link.kind === 'invitation' ? 'Welcome to Turnpike' : 'Set a new password'}
      about={
        <>
          For {link.email}. The link works once, until <Time at={link.expiresAt} />.
        </>
      }
    >
      <Form onSubmit={() => set.mutate({ token, password })}>
        <Stack>
          {errors.rest && <Problem error={errors.rest} />}
          <input type="email" autoComplete="username" value={link.email} readOnly hidden />
          <PasswordInput
            label="New password"
            description={`At least ${passwordRule.min} characters; a few words are easy to remember.`}
            autoComplete="new-password"
            required
            autoFocus
            minLength={passwordRule.min}
            maxLength={passwordRule.max}
            {...errors.input('password', password, setPassword)}
          />
          <Button type="submit" loading={set.isPending} fullWidth>
            Set password and sign in
          </Button>
        </Stack>
      </Form>
    </AuthLayout>
  );
}

/** Takes the token out of the fragment and out of the address bar, so that no history keeps it. */
function useLinkToken(): string | undefined {
  const [token, setToken] = useState(tokenInFragment);
  useEffect(() => {
    const take = () => {
      const found = tokenInFragment();
      if (found === undefined) return;
      setToken(found);
      history.replaceState(history.state, '', location.pathname);
    };
    take();
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return token;
}

const tokenInFragment = (): string | undefined =>
  new URLSearchParams(location.hash.slice(1)).get('token') ?? undefined;
