import type { Isolation } from '@turnpike/contract/isolation';
import { closedInterfaces, type ReceiptStatement } from '@turnpike/contract/receipt';
import { iso } from '../http/iso.ts';
import type { Traffic } from '../ledger/traffic.ts';
import { readStoredJson } from '../store/stored-json.ts';
import type { SessionRow } from '../store/tables.ts';
import { presentProxies } from './present-traffic.ts';
import type { ReadTraffic } from './read-traffic.ts';

/** States what is known of a session that has ended. */
export function receiptStatement(
  session: SessionRow,
  { traffic, bytes }: Pick<ReadTraffic, 'traffic' | 'bytes'>,
  now: number,
): ReceiptStatement {
  const { isolation, serviceVersion }: { isolation?: Isolation; serviceVersion?: string } = session.evidence
    ? readStoredJson(session.evidence)
    : {};
  const { turnpike } = readStoredJson(session.metadata);
  return {
    type: 'turnpike-receipt',
    version: 1,
    issuedAt: iso(now),
    accountId: session.account_id,
    session: {
      browserId: session.id,
      status: session.state,
      createdAt: iso(session.created_at),
      endedAt: iso(session.ended_at ?? now),
      endReason: session.end_reason,
    },
    proxy: withoutUser(String(readStoredJson(session.params).proxy)),
    traffic: {
      ...bytes,
      destinations: traffic.destinations.map(({ firstAt, lastAt, proxy, ...use }) => ({
        ...use,
        ...(proxy !== undefined && { proxy: withoutUser(proxy) }),
      })),
      other: traffic.other,
      ...(traffic.droppedDestinations && { droppedDestinations: traffic.droppedDestinations }),
      ...(traffic.droppedProxies && { droppedProxies: traffic.droppedProxies }),
      ...proxiesOf(traffic),
    },
    host: {
      name: session.host,
      version: serviceVersion ?? null,
      chromium: turnpike?.chromiumVersion ?? null,
    },
    sandbox: isolation ? sandboxOf(isolation) : null,
  };
}

/** Nothing of a session whose host did not tell. */
function proxiesOf(
  traffic: Traffic,
): Pick<ReceiptStatement['traffic'], 'proxies' | 'cost' | 'costOfOneProxy'> {
  if (!traffic.proxies) return {};
  const { proxies, ...costs } = presentProxies(traffic);
  return { proxies: proxies.map((use) => ({ ...use, proxy: withoutUser(use.proxy) })), ...costs };
}

function sandboxOf(isolation: Isolation): NonNullable<ReceiptStatement['sandbox']> {
  const others = isolation.interfaces.filter(({ name }) => !closedInterfaces.includes(name));
  const packets = others.map(({ receivedPackets, sentPackets }) => receivedPackets + sentPackets);
  return {
    ...isolation,
    otherInterfaces: others.length,
    packetsOnOtherInterfaces: packets.reduce((sum, count) => sum + count, 0),
  };
}

/** Masks the user name too: it may name the customer, and a receipt is for others to read. */
const withoutUser = (proxy: string): string => proxy.replace(/\/\/[^@/]*@/, '//***:***@');
