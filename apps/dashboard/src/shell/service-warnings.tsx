import { Alert } from '@mantine/core';
import { setWarnings, useWarnings } from '../api/warnings.ts';
import { Icon } from '../parts/icons.tsx';

/** What the service did otherwise than it was asked, until it is closed. */
export function ServiceWarnings() {
  const warnings = useWarnings();
  if (warnings.length === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<Icon name="warning" />}
      title="Not all of the request was used"
      role="status"
      mb="md"
      withCloseButton
      closeButtonLabel="Dismiss"
      onClose={() => setWarnings([])}
    >
      {warnings.map((warning) => (
        <div key={warning}>{warning}</div>
      ))}
    </Alert>
  );
}
