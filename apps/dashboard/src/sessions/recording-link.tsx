import { Anchor } from '@mantine/core';
import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Link } from 'react-router';
import { isRecorded } from './session-text.ts';

/** Links to a session's recording, in lists. */
export function RecordingLink({ session }: { session: SessionRowView }) {
  if (!isRecorded(session)) return '–';
  const { browserId, status } = session;
  return (
    <Anchor
      component={Link}
      to={`/sessions/${browserId}/recording`}
      size="sm"
      aria-label={`Recording of ${browserId}`}
    >
      {status === 'ACTIVE' ? 'Live' : 'Play'}
    </Anchor>
  );
}
