import { useClose } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';

/** Closes a session of the account. */
export function CloseButton({ id, size = 'sm' }: { id: string; size?: 'xs' | 'sm' }) {
  const close = useClose(id);
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
