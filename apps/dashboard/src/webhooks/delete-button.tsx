import type { Webhook } from '@turnpike/contract/events';
import { useDelete } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';

interface DeleteButtonProps {
  webhook: Pick<Webhook, 'id' | 'url'>;
  size?: 'xs' | 'sm';
  onDone?: () => void;
}

export function DeleteButton({ webhook: { id, url }, size = 'sm', onDone }: DeleteButtonProps) {
  const remove = useDelete('/user/api/webhooks/:id', { params: { id }, stale: ['/user/api/webhooks'] });
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
      <span className="mono break">{url}</span> gets no more events, including those still pending. Its secret
      and its deliveries are deleted.
    </Confirm>
  );
}
