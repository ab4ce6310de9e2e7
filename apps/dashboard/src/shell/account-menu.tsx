import { type MantineColorScheme, Menu, UnstyledButton, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Person } from '@turnpike/contract/dashboard/people';
import { clearCache } from '../api/queries.ts';
import { post } from '../api/request.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { PasswordDialog } from './password-dialog.tsx';

const schemes: readonly { value: MantineColorScheme; name: string; icon: IconName }[] = [
  { value: 'light', name: 'Light', icon: 'sun' },
  { value: 'dark', name: 'Dark', icon: 'moon' },
  { value: 'auto', name: 'System', icon: 'system' },
];

export function AccountMenu({ person, compact = false }: { person: Person; compact?: boolean }) {
  const [changingPassword, dialog] = useDisclosure(false);
  // Holding transitions back would add a style element, which the content security policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: (path: '/sign-out' | '/sign-out-everywhere') => post(path),
    onSuccess: () => clearCache(client),
  });
  const name = person.account?.name || person.email;
  return (
    <>
      <Menu position={compact ? 'bottom-end' : 'top-start'} width={250} shadow="md" withinPortal>
        <Menu.Target>
          <UnstyledButton className="account-button">
            <span className="avatar" aria-hidden="true">
              {name.slice(0, 1).toUpperCase()}
            </span>
            {compact ? (
              <span className="visually-hidden">Account menu</span>
            ) : (
              <span className="account-text">
                <span className="account-name">{name}</span>
                <span className="account-role">{person.role === 'operator' ? 'Operator' : person.email}</span>
              </span>
            )}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown aria-label="Account menu">
          <Menu.Label>{person.email}</Menu.Label>
          <Menu.Item leftSection={<Icon name="password" />} onClick={dialog.open}>
            Change password
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>Theme</Menu.Label>
          <Menu.RadioGroup
            value={colorScheme}
            onChange={(value) => setColorScheme(value as MantineColorScheme)}
          >
            {schemes.map(({ value, name: scheme, icon }) => (
              <Menu.RadioItem key={value} value={value} rightSection={<Icon name={icon} />}>
                {scheme}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="signOut" />} onClick={() => signOut.mutate('/sign-out')}>
            Sign out
          </Menu.Item>
          <Menu.Item
            leftSection={<Icon name="signOut" />}
            onClick={() => signOut.mutate('/sign-out-everywhere')}
          >
            Sign out everywhere
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <PasswordDialog opened={changingPassword} onClose={dialog.close} />
    </>
  );
}
