import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { Icon } from '../icons.tsx';

interface CopyButtonProps {
  value: string;
  /** What is copied, for the accessible name. */
  what: string;
  label?: string;
}

export function CopyButton({ value, what, label = 'Copy' }: CopyButtonProps) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<Icon name={clipboard.copied ? 'check' : 'copy'} size={15} />}
      onClick={() => clipboard.copy(value)}
      aria-label={`Copy ${what}`}
    >
      <span aria-live="polite">{clipboard.error ? 'Not copied' : clipboard.copied ? 'Copied' : label}</span>
    </Button>
  );
}
