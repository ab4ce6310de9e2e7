import type { SessionRowView } from '@turnpike/contract/dashboard/account-pages';
import { Status } from '../parts/values/status.tsx';
import { shownState, unusualEndText } from './session-text.ts';

/** The state of a session, with the reason of an unusual end. */
export function StateCell({ session }: { session: SessionRowView }) {
  const why = unusualEndText(session);
  return (
    <>
      <Status of={shownState(session)} />
      {why && <div className="faint">{why}</div>}
    </>
  );
}
