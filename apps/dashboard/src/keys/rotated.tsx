import type { ReactNode } from 'react';
import { Time } from '../parts/values/time.tsx';

/** When a secret was last rotated; if never, what it is for. */
export function Rotated({ at, never }: { at: string | null; never: string }): ReactNode {
  if (!at) return never;
  return (
    <>
      Last rotated <Time at={at} />
    </>
  );
}
