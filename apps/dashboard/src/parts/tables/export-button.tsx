import { Button } from '@mantine/core';
import { Icon } from '../icons.tsx';

/** Downloads all rows that match the filters, not only those shown. */
export function ExportButton({ href }: { href: string }) {
  return (
    <Button
      component="a"
      href={href}
      download
      variant="default"
      leftSection={<Icon name="download" size={16} />}
    >
      Export CSV
    </Button>
  );
}
