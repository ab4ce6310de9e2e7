import { Stack, Text } from '@mantine/core';
import type { OperatorAccount } from '@turnpike/contract/dashboard/operator-pages';
import { usePost } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { Card } from '../parts/page.tsx';
import { Secret, ShownOnce } from '../parts/values/secret.tsx';
import { Time } from '../parts/values/time.tsx';

/** Sign-in of the account's user, and the API key of its programs. */
export function AccountAccess({ account }: { account: OperatorAccount }) {
  const params = { id: account.id };
  const { password, invitedUntil } = account.signIn;
  const link = usePost(`/operator/accounts/:id/${password ? 'reset' : 'invitation'}`, {
    params,
    stale: ['/operator/accounts'],
  });
  const rotate = usePost('/operator/accounts/:id/rotate-key', { params });
  return (
    <Card
      title="Access"
      about={
        password ? (
          'A password is set.'
        ) : invitedUntil ? (
          <>
            Invited; the link works until <Time at={invitedUntil} />.
          </>
        ) : (
          'No invitation has been sent yet.'
        )
      }
      actions={
        <>
          {password ? (
            <Confirm action="Reset password" title="Create a reset link?" mutation={link}>
              The link sets a new password. It works once and expires in an hour. The current password works
              until then.
            </Confirm>
          ) : (
            <Confirm action="Invite" title="Create an invitation link?" mutation={link}>
              The link sets the first password. It works once and expires in 7 days. Earlier links stop
              working.
            </Confirm>
          )}
          <Confirm action="Rotate API key" title="Rotate the API key?" mutation={rotate} danger>
            The account's programs get 401 until they have the new key.
          </Confirm>
        </>
      }
    >
      <Stack gap="sm">
        {link.data && (
          <>
            <ShownOnce>
              Send it to {account.email}. It works once, until <Time at={link.data.expiresAt} />.
            </ShownOnce>
            <Secret name="Link" value={link.data.url} />
          </>
        )}
        {rotate.data && (
          <>
            <ShownOnce>The old key no longer works.</ShownOnce>
            <Secret name="API key" value={rotate.data.apiKey} />
          </>
        )}
        {!link.data && !rotate.data && (
          <Text size="sm" c="dimmed">
            Links and keys are shown once, when they are created.
          </Text>
        )}
      </Stack>
    </Card>
  );
}
