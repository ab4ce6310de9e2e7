import type { Done } from '@turnpike/contract/dashboard';
import type { Webhook } from '@turnpike/contract/events';
import { usePost } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';

interface DeleteButtonProps {
  webhook: Pick<Webhook, 'id' | 'url'>;
  size?: 'xs' | 'sm';
  onDone?: () => void;
}

export function DeleteButton({ webhook: { id, url }, size = 'sm', onDone }: DeleteButtonProps) {
  const remove = usePost<Done>(`/webhooks/${encodeURIComponent(id)}/delete`, { stale: ['/webhooks'] });
  return (
    <Confirm
      action="Delete"
      about={`the webhook to ${url}`}
      title="Delete this webhook?"
      mutation={remove}
      danger
      size={size}
      {...(onDone ? { onDone } : {})}
    >
      <span className="mono break">{url}</span> is sent nothing more, also not what was still on its way. Its
      secret and its deliveries are gone.
    </Confirm>
  );
}
