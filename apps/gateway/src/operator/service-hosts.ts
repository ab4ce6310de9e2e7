import type { OperatorHost } from '@turnpike/contract/dashboard/operator-pages';
import type { Gateway } from '../gateway.ts';
import { type HostState, listHosts } from '../hosts/hosts.ts';
import { iso } from '../http/iso.ts';

/** A host that is shutting down takes no sessions either. */
const stateOf: Record<HostState, OperatorHost['state']> = {
  live: 'live',
  draining: 'draining',
  leaving: 'draining',
  lost: 'lost',
};

/** Lists all hosts, by name. */
export async function describeHosts({ db, now }: Pick<Gateway, 'db' | 'now'>): Promise<OperatorHost[]> {
  return (await listHosts(db, now())).map((host) => ({
    name: host.name,
    region: host.region,
    state: stateOf[host.state],
    publicUrl: host.publicUrl,
    version: host.serviceVersion || null,
    chromiumVersion: host.chromiumVersion || null,
    seats: host.seats,
    sessions: host.used,
    load: host.seats === 0 ? null : host.used / host.seats,
    heartbeatAt: iso(host.heartbeatAt),
  }));
}
