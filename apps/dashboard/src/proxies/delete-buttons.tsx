import { useDelete } from '../api/queries.ts';
import { Confirm } from '../parts/forms/confirm.tsx';

interface DeleteProps {
  name: string;
  size?: 'xs' | 'sm';
  onDone?: () => void;
}

const stale = ['/user/api/proxies', '/user/api/proxy-pools', '/user/api/default-proxy'] as const;

export function DeleteProxy({ name, size = 'sm', onDone }: DeleteProps) {
  const remove = useDelete('/user/api/proxies/:name', { params: { name }, stale });
  return (
    <Confirm
      action="Delete"
      about={`the proxy ${name}`}
      title={`Delete ${name}?`}
      mutation={remove}
      {...(onDone && { onDone })}
      danger
      size={size}
    >
      Creates that name it are refused from then on. It cannot be deleted while a session, a pool or the
      default uses it.
    </Confirm>
  );
}

export function DeletePool({ name, size = 'sm', onDone }: DeleteProps) {
  const remove = useDelete('/user/api/proxy-pools/:name', { params: { name }, stale });
  return (
    <Confirm
      action="Delete"
      about={`the pool ${name}`}
      title={`Delete ${name}?`}
      mutation={remove}
      {...(onDone && { onDone })}
      danger
      size={size}
    >
      Its proxies stay. Creates that name the pool are refused from then on. Running sessions continue.
    </Confirm>
  );
}
