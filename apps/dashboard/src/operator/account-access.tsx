import { Alert, Stack, Text } from '@mantine/core';
import type { MadeLink, NewApiKey, OperatorAccount } from '@turnpike/contract/dashboard';
import { usePost } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card } from '../parts/page.tsx';
import { Secret } from '../parts/secret.tsx';
import { Time } from '../parts/time.tsx';

/** How the account's person gets in, and its programs. */
export function AccountAccess({ account, path }: { account: OperatorAccount; path: string }) {
  const { password, invitedUntil } = account.signIn;
  const link = usePost<MadeLink>(`${path}/${password ? 'reset' : 'invitation'}`, {
    stale: ['/operator/accounts'],
  });
  const rotate = usePost<NewApiKey>(`${path}/rotate-key`);
  return (
    <Card
      title="Access"
      about={
        password ? (
          'Somebody has set a password.'
        ) : invitedUntil ? (
          <>
            Invited; the link works until <Time at={invitedUntil} />.
          </>
        ) : (
          'Nobody has been invited yet.'
        )
      }
      actions={
        <>
          {password ? (
            <Confirm action="Reset password" title="Make a reset link?" mutation={link}>
              It sets a new password and works once, for an hour. The present password works until then.
            </Confirm>
          ) : (
            <Confirm action="Invite" title="Make an invitation link?" mutation={link}>
              It sets the first password and works once, for 7 days. A former link is dead then.
            </Confirm>
          )}
          <Confirm action="Rotate API key" title="Rotate the API key?" mutation={rotate} danger>
            The account's programs get 401 at once, until they have the new key.
          </Confirm>
        </>
      }
    >
      <Stack gap="sm">
        {link.data && (
          <>
            <Alert color="yellow" icon={<Icon name="warning" />} title="Shown this once">
              Send it to {account.email}. It works once, until <Time at={link.data.expiresAt} />.
            </Alert>
            <Secret name="Link" value={link.data.url} />
          </>
        )}
        {rotate.data && (
          <>
            <Alert color="yellow" icon={<Icon name="warning" />} title="Shown this once">
              The old key is dead already.
            </Alert>
            <Secret name="API key" value={rotate.data.apiKey} />
          </>
        )}
        {!link.data && !rotate.data && (
          <Text size="sm" c="dimmed">
            Links and keys are shown when they are made, and never again.
          </Text>
        )}
      </Stack>
    </Card>
  );
}
