import type { Crawl } from '@turnpike/contract/crawl';
import { useDelete } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';
import { isActive, nameOf } from './crawl-text.ts';

/** Nothing for a crawl that has ended. */
export function CancelButton({ crawl, size = 'sm' }: { crawl: Crawl; size?: 'xs' | 'sm' }) {
  const cancel = useDelete('/api/crawl/:id', { params: { id: crawl.id }, stale: ['/api/crawl'] });
  if (!isActive(crawl)) return null;
  return (
    <Confirm
      action="Cancel crawl"
      about={`of ${nameOf(crawl)}`}
      title="Cancel this crawl?"
      mutation={cancel}
      danger
      size={size}
    >
      No further page is loaded, and its sessions are closed. What was loaded stays.
    </Confirm>
  );
}
