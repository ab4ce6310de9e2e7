import { ActionIcon, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Person } from '@turnpike/contract/dashboard/people';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'react-router';
import { Brand } from '../parts/brand.tsx';
import { Icon } from '../parts/icons.tsx';
import { AccountMenu } from './account-menu.tsx';
import { Navigation } from './navigation.tsx';
import { ServiceWarnings } from './service-warnings.tsx';

/** Layout around every page. */
export function Shell({ person, children }: { person: Person; children: ReactNode }) {
  const [opened, { open, close }] = useDisclosure(false);
  const main = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const shownPath = useRef(pathname);
  useEffect(() => {
    if (shownPath.current === pathname) return;
    shownPath.current = pathname;
    // A new page starts at its top, with the focus on its content.
    window.scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [pathname]);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="shell-top">
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Open menu" onClick={open}>
          <Icon name="menu" size={22} />
        </ActionIcon>
        <Brand />
        <AccountMenu person={person} compact />
      </header>
      <header className="shell-side">
        <div className="shell-pinned">
          <Brand />
          <Navigation role={person.role} />
          <AccountMenu person={person} />
        </div>
      </header>
      <Drawer
        opened={opened}
        onClose={close}
        size="17rem"
        title={<Brand />}
        closeButtonProps={{ 'aria-label': 'Close menu' }}
      >
        <Navigation role={person.role} onNavigate={close} />
      </Drawer>
      <main id="main" className="shell-main" ref={main} tabIndex={-1}>
        <ServiceWarnings />
        {children}
      </main>
    </div>
  );
}
