import { expect, test } from 'vitest';
import { trafficOf } from '../ledger/traffic.ts';
import type { SessionRow } from '../store/tables.ts';
import { receiptStatement } from './receipt.ts';

const row = {
  id: 'br_1',
  account_id: 'acc_1',
  state: 'CLOSED',
  created_at: 0,
  ended_at: 60_000,
  end_reason: 'closed',
  host: 'host-1',
  params: JSON.stringify({ proxy: 'http://alice-country-de:***@proxy.example:8000' }),
  metadata: JSON.stringify({ turnpike: { chromiumVersion: '156.0.1.2' } }),
  evidence: null,
} as unknown as SessionRow;
const other = { requests: 0, tunnels: 0, bytesUp: 0, bytesDown: 0, refused: {} };
const traffic = {
  bytes: { bytesUp: 1, bytesDown: 2 },
  traffic: { bytesFromCache: 0, maxBytesReached: false, destinations: [], other },
};

test('nothing of the proxy but its address is in it', () => {
  const { proxy } = receiptStatement(row, traffic, 70_000);
  expect(proxy).toBe('http://***:***@proxy.example:8000');
  const open = { ...row, params: JSON.stringify({ proxy: 'socks5://[::1]:1080' }) };
  expect(receiptStatement(open, traffic, 70_000).proxy).toBe('socks5://[::1]:1080');
});

test('a session whose host was lost has no word about its sandbox', () => {
  const { sandbox, host } = receiptStatement(row, traffic, 70_000);
  expect({ sandbox, host }).toEqual({
    sandbox: null,
    host: { name: 'host-1', version: null, chromium: '156.0.1.2' },
  });
});

test('destinations that were dropped are in it, as a number', () => {
  const use = { requests: 1, tunnels: 0, bytesUp: 5, bytesDown: 5, refused: {}, firstAgoMs: 0, lastAgoMs: 0 };
  const destinations = ['a.test', 'b.test'].map((host) => ({ host, port: 80, ...use }));
  const report = {
    bytesUp: 9,
    bytesDown: 10,
    bytesFromCache: 0,
    maxBytesReached: false,
    other,
    destinations,
  };
  const bytes = { bytesUp: 9, bytesDown: 10 };
  const stated = receiptStatement(row, { bytes, traffic: trafficOf(report, 50_000) }, 70_000).traffic;
  expect(stated).toEqual({
    ...bytes,
    destinations: [],
    other: { ...other, ...bytes },
    droppedDestinations: 2,
  });
  expect(receiptStatement(row, traffic, 70_000).traffic).not.toHaveProperty('droppedDestinations');
});

test('packets count on interfaces that are not in every sandbox', () => {
  const isolation = {
    namespaces: ['net', 'pid'],
    interfaces: [
      { name: 'lo', receivedPackets: 10, sentPackets: 10 },
      { name: 'eth0', receivedPackets: 0, sentPackets: 3 },
      { name: 'wg0', receivedPackets: 4, sentPackets: 5 },
    ],
    gatewayRoutes: 1,
  };
  const evidence = JSON.stringify({ isolation, serviceVersion: '1.2.3' });
  const { sandbox, host } = receiptStatement({ ...row, evidence }, traffic, 70_000);
  expect(sandbox).toEqual({ ...isolation, otherInterfaces: 1, packetsOnOtherInterfaces: 9 });
  expect(host.version).toBe('1.2.3');
});
