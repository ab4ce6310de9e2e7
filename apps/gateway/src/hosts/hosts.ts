import { leaseMs } from '@turnpike/contract/host/heartbeat';
import { type Actor, cli } from '../audit/actor.ts';
import { type AuditEvent, recordAudit } from '../audit/audit-store.ts';
import { badRequest } from '../http/api-error.ts';
import { atomically } from '../store/atomically.ts';
import type { Database } from '../store/database.ts';
import type { HostRow } from '../store/tables.ts';
import { countActiveSessions, findHost, listHostRows, setHostState } from './host-store.ts';

/** An operator's view of hosts, and operations on them. */

export const hostStates = ['live', 'draining', 'leaving', 'lost'] as const;
export type HostState = (typeof hostStates)[number];

export interface HostView {
  name: string;
  state: HostState;
  region: string | null;
  seats: number;
  used: number;
  publicUrl: string;
  /** Null: it runs in a gateway's own process. */
  privateUrl: string | null;
  chromiumVersion: string;
  serviceVersion: string;
  heartbeatAt: number;
}

export async function listHosts(db: Database, now: number): Promise<HostView[]> {
  return (await listHostRows(db)).map((row) => view(row, now));
}

/** Drains a host: it gets no new sessions, and running ones go on. Lasts, over restarts too, until `undrainHost`. */
export const drainHost = (db: Database, name: string, by: Actor = cli) =>
  change(db, { by, action: 'host.drain', target: name }, 'draining');

export const undrainHost = (db: Database, name: string, by: Actor = cli) =>
  change(db, { by, action: 'host.undrain', target: name }, 'live');

/**
 * Removes a host. With its next heartbeat it learns of it, ends its browsers and takes no more. A host that runs alone
 * ends its process; one in a gateway's process leaves the gateway running. Started again, it joins again. A host with
 * sessions needs `force`: they are then DEAD as of its last heartbeat.
 */
export async function removeHost(
  db: Database,
  name: string,
  { force = false, by = cli }: { force?: boolean; by?: Actor } = {},
): Promise<{ isInGateway: boolean }> {
  const host = await findHost(db, name);
  if (!host || host.state === 'removed') throw noSuchHost(name);
  const running = force ? 0 : await countActiveSessions(db, name);
  if (running > 0) {
    throw badRequest(
      `Host ${name} has ${running} running session${running === 1 ? '' : 's'}. Drain it and wait, or force the removal.`,
    );
  }
  await change(db, { by, action: 'host.remove', target: name, detail: { force } }, 'removed');
  return { isInGateway: host.private_url === null };
}

function change(db: Database, event: AuditEvent, state: HostRow['state']): Promise<void> {
  return atomically(db, async (trx) => {
    if (!(await setHostState(trx, event.target, state))) throw noSuchHost(event.target);
    await recordAudit(trx, event);
  });
}

const noSuchHost = (name: string) => badRequest(`There is no host ${name}.`);

function view(row: HostRow, now: number): HostView {
  return {
    name: row.name,
    state: stateOf(row, now),
    region: row.region,
    seats: row.seats,
    used: row.used,
    publicUrl: row.public_url,
    privateUrl: row.private_url,
    chromiumVersion: row.chromium_version,
    serviceVersion: row.service_version,
    heartbeatAt: row.heartbeat_at,
  };
}

function stateOf({ heartbeat_at, phase, state }: HostRow, now: number): HostState {
  if (heartbeat_at < now - leaseMs || phase === 'left') return 'lost';
  if (phase === 'leaving') return 'leaving';
  return state === 'draining' ? 'draining' : 'live';
}
