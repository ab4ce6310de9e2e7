import { Button } from '@mantine/core';
import { usePost } from '../api/queries.ts';
import { checkText } from './proxy-text.ts';

/** Dials a proxy now, and says below itself how it is. */
export function CheckButton({ name }: { name: string }) {
  const check = usePost('/user/api/proxies/:name/check', { params: { name }, stale: ['/user/api/proxies'] });
  return (
    <>
      <Button
        size="xs"
        variant="default"
        loading={check.isPending}
        aria-label={`Check ${name}`}
        onClick={() => check.mutate({})}
      >
        Check
      </Button>
      <div className="faint" role="status">
        {check.data ? checkText(check.data) : check.error?.message}
      </div>
    </>
  );
}
