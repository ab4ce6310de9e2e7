import { ApiError } from '../../http/api-error.ts';
import { isStoreOutage } from '../../store/outage.ts';
import type { SessionRow } from '../../store/tables.ts';
import type { SessionContext } from '../session-context.ts';

/** Wakes a session that is asleep. Its heartbeats tell the store. Resolves to the session as it is then. */
export async function wakeSession(
  { findHost }: Pick<SessionContext, 'findHost'>,
  session: SessionRow,
): Promise<SessionRow> {
  if (session.state !== 'ACTIVE')
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  const isAwake = await wakeOnHost(findHost, session);
  // Its end is not in the store yet.
  if (isAwake === undefined) throw new ApiError('sessionEnded');
  if (!isAwake) throw new ApiError('wakeWaits');
  return { ...session, standby_since: null };
}

async function wakeOnHost(
  findHost: SessionContext['findHost'],
  { id, host: name, host_boot: boot }: SessionRow,
): Promise<boolean | undefined> {
  try {
    const host = await findHost(name, boot);
    return host && (await host.wake(id));
  } catch (cause) {
    if (isStoreOutage(cause)) throw cause;
    throw new ApiError('hostSilent', { cause });
  }
}
