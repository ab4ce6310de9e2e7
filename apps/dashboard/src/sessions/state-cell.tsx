import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Status } from '../parts/status.tsx';
import { unusualEnd } from './session-words.ts';

/** In a list: the state, and why it ended where that is more. */
export function StateCell({ session }: { session: SessionRowView }) {
  const why = unusualEnd(session);
  return (
    <>
      <Status of={session.status} />
      {why && <div className="faint">{why}</div>}
    </>
  );
}
