import { Stack, Text } from '@mantine/core';
import type { Keys, ProxyCredentials } from '@turnpike/contract/dashboard/account-pages';
import { useState } from 'react';
import { usePost } from '../api/queries.ts';
import { Card, Fact, Facts } from '../parts/page.tsx';
import { Problem } from '../parts/states.tsx';
import { Secret } from '../parts/values/secret.tsx';
import { RevealActions } from './reveal-actions.tsx';
import { Rotated } from './rotated.tsx';

/** The login to the metered proxy. */
export function ProxyCard({ user, rotatedAt, url }: Keys['proxy']) {
  const [credentials, setCredentials] = useState<ProxyCredentials>();
  const reveal = usePost('/keys/proxy/reveal', { stale: ['/keys'] });
  const rotate = usePost('/keys/proxy/rotate', { stale: ['/keys'] });
  const login = credentials && `${credentials.proxyUser}:${credentials.proxyPassword}`;
  return (
    <Card
      title="Proxy login"
      about={<Rotated at={rotatedAt} never="For the metered proxy: HTTP and SOCKS5." />}
      actions={
        <RevealActions
          what="the proxy password"
          exists={user !== null}
          isShown={credentials !== undefined}
          reveal={reveal}
          rotate={rotate}
          onChange={setCredentials}
        >
          The current password stops working for new connections, including those of running sessions.
        </RevealActions>
      }
    >
      <Stack gap="sm">
        {reveal.error && <Problem error={reveal.error} />}
        <Facts>
          <Fact name="User">
            <span className="mono">{credentials?.proxyUser ?? user ?? 'Not generated yet'}</span>
          </Fact>
          {url && (
            <Fact name="Address">
              <span className="mono">{url}</span>
            </Fact>
          )}
        </Facts>
        {credentials && <Secret name="Proxy password" value={credentials.proxyPassword} />}
        {login && url && <Secret name="Proxy URL" value={url.replace('://', `://${login}@`)} />}
        <Text size="sm" c="dimmed">
          To choose a product and a country, add them to the user name:{' '}
          <code className="break">{user ?? 'user'}-product-rotating-isp-country-us</code>. The default product
          is residential.
        </Text>
      </Stack>
    </Card>
  );
}
