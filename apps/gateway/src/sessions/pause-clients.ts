import type { BrowserHost, ClientsState } from '@turnpike/contract/host';
import { ApiError } from '../http/api-error.ts';
import { isStoreOutage } from '../store/outage.ts';
import type { SessionRow } from '../store/tables.ts';
import type { SessionContext } from './session-context.ts';

/** Asks the host of a running session about its clients, or to pause or resume them. The host decides who may. */
export async function askAboutClients(
  { findHost }: Pick<SessionContext, 'findHost'>,
  session: SessionRow,
  ask: (host: BrowserHost) => Promise<ClientsState | undefined>,
): Promise<ClientsState> {
  if (session.state !== 'ACTIVE')
    throw new ApiError('sessionEnded', { message: `Session is ${session.state}` });
  const state = await askHost(findHost, session, ask);
  // Its end is not in the store yet.
  if (!state) throw new ApiError('sessionEnded');
  return state;
}

async function askHost(
  findHost: SessionContext['findHost'],
  { host: name, host_boot: boot }: SessionRow,
  ask: (host: BrowserHost) => Promise<ClientsState | undefined>,
): Promise<ClientsState | undefined> {
  try {
    const host = await findHost(name, boot);
    return host && (await ask(host));
  } catch (cause) {
    if (isStoreOutage(cause)) throw cause;
    throw new ApiError('hostSilent', { cause });
  }
}
