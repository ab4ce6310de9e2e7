import { expect, test } from 'vitest';
import { countGatewayRoutes, IsolationReader, parseDevices } from './isolation.ts';

test('packets are read from what the kernel prints', () => {
  const text = [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo: 9130124    9876    0    0    0     0          0         0  9130124    9875    0    0    0     0       0          0',
    '  eth0:       0       0    0    0    0     0          0         0      180       2    0    0    0     0       0          0',
    '',
  ].join('\n');
  expect(parseDevices(text)).toEqual([
    { name: 'lo', receivedPackets: 9876, sentPackets: 9875 },
    { name: 'eth0', receivedPackets: 0, sentPackets: 2 },
  ]);
});

test('routes with a gateway lead out', () => {
  const headings = 'Iface\tDestination\tGateway\tFlags\tRefCnt';
  const local = 'eth0\t0001A8C0\t00000000\t0001\t0';
  const out = 'eth0\t00000000\t0101A8C0\t0003\t0';
  expect(countGatewayRoutes(`${headings}\n${local}\n`)).toBe(0);
  expect(countGatewayRoutes(`${headings}\n${local}\n${out}\n`)).toBe(1);
});

test('this process has no namespace that it does not share with itself', () => {
  using reader = new IsolationReader(process.pid);
  const { namespaces, interfaces } = reader.read();
  expect(namespaces).toEqual([]);
  expect(interfaces.map(({ name }) => name)).toContain('lo');
});
