import type { SessionDetail } from '@turnpike/contract/dashboard';
import { usePost } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';

/** Ends a session of one's own. */
export function CloseButton({ id, size = 'sm' }: { id: string; size?: 'xs' | 'sm' }) {
  const close = usePost<SessionDetail>(`/sessions/${id}/close`, {
    stale: ['/sessions', '/running', '/overview'],
  });
  return (
    <Confirm
      action={size === 'xs' ? 'Close' : 'Close session'}
      about={size === 'xs' ? `session ${id}` : id}
      title="Close this session?"
      mutation={close}
      danger
      size={size}
    >
      The browser closes at once and its time is billed. Programs that are connected to it are disconnected.
    </Confirm>
  );
}
