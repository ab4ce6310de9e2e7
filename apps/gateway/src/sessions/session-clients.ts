import type { ClientTimes, RunningBrowser } from '@turnpike/contract/host';
import type { SessionRow } from '../store/tables.ts';

/** When clients of a session were connected, by the store's clock. */
type ClientColumns = Pick<SessionRow, 'connected_at' | 'disconnected_at'>;

export type SessionClients = ClientColumns & { id: string };

/**
 * Turns a host's report of a moment into times. The first report of a connection counts: later ones differ by the time
 * that they took to arrive. No client connected before the session was there.
 */
export function clientColumns(
  { created_at, connected_at, disconnected_at }: ClientColumns & Pick<SessionRow, 'created_at'>,
  { connectedAgoMs, disconnectedAgoMs }: ClientTimes,
  at: number,
): ClientColumns {
  const time = (agoMs: number) => Math.max(created_at, at - agoMs);
  if (connectedAgoMs === undefined) return { connected_at, disconnected_at };
  return {
    connected_at: connected_at ?? time(connectedAgoMs),
    disconnected_at: disconnectedAgoMs === undefined ? null : (disconnected_at ?? time(disconnectedAgoMs)),
  };
}

/** Lists the session if a report of its host changes when its clients were connected. */
export function changedClients(session: SessionRow, browser: RunningBrowser, at: number): SessionClients[] {
  const columns = clientColumns(session, browser, at);
  const isSame =
    columns.connected_at === session.connected_at && columns.disconnected_at === session.disconnected_at;
  return isSame ? [] : [{ id: session.id, ...columns }];
}
