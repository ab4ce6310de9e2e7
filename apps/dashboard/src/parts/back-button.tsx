import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Icon } from './icons.tsx';

/** Links back to a list. */
export function BackButton({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Button component={Link} to={to} variant="default" leftSection={<Icon name="back" size={16} />}>
      {children}
    </Button>
  );
}
