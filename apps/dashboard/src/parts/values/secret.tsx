import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../icons.tsx';
import { CopyButton } from './copy-button.tsx';

/** A secret in plain text, with a copy button. */
export function Secret({ name, value }: { name: string; value: string }) {
  return (
    <fieldset className="secret" aria-label={name}>
      <code>{value}</code>
      <CopyButton value={value} what={name} />
    </fieldset>
  );
}

/** Stands above a secret that cannot be shown again. */
export function ShownOnce({ children }: { children?: ReactNode }) {
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title="Copy it now. It is shown only once.">
      {children}
    </Alert>
  );
}
