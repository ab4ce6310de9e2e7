import { networkInterfaces } from 'node:os';
import { SettingError } from '@turnpike/process/settings';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAddressGuard, createOwnAddressCheck, isAllowedAddress } from './address-guard.ts';

const signal = new AbortController().signal;

test.each([
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '127.255.255.255',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:8.8.8.8',
  '::ffff:127.0.0.1',
  '64:ff9b::8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:808:808::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '5f00::1',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd20:ce::254',
])('%s is not allowed', (address) => expect(isAllowedAddress(address)).toBe(false));

test.each(['8.8.8.8', '11.22.33.44', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:800::200e'])(
  '%s is allowed',
  (address) => expect(isAllowedAddress(address)).toBe(true),
);

test('no address of a private range passes, however it is written', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0] = address.split('.').map(Number);
      const inner = a === 10 || a === 127 || (a === 192 && b === 168) || (a === 172 && b >= 16 && b < 32);
      if (inner) expect(isAllowedAddress(address)).toBe(false);
      for (const prefix of ['::', '::ffff:', '64:ff9b::'])
        expect(isAllowedAddress(prefix + address)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

test('exceptions are names, addresses and CIDRs', async () => {
  const guard = createAddressGuard('localhost, 10.1.0.0/16, ::1, fd00::/8', 'SETTING');
  expect(await guard.resolve('localhost', signal)).toMatchObject({ ok: true });
  expect(await guard.resolve('10.1.2.3', signal)).toEqual({ ok: true, addresses: ['10.1.2.3'] });
  expect(await guard.resolve('10.2.0.1', signal)).toEqual({ ok: false, reason: 'not-allowed' });
  expect(await guard.resolve('::1', signal)).toEqual({ ok: true, addresses: ['::1'] });
  expect(await guard.resolve('fd12::1', signal)).toMatchObject({ ok: true });
  expect(await guard.resolve('127.0.0.1', signal)).toEqual({ ok: false, reason: 'not-allowed' });
});

test('a name is judged by every address it has, in any spelling the resolver takes', async () => {
  const guard = createAddressGuard('', 'SETTING');
  for (const host of ['localhost', '127.1', '2130706433', '0x7f.1']) {
    expect([host, await guard.resolve(host, signal)]).toEqual([host, { ok: false, reason: 'not-allowed' }]);
  }
  expect(await guard.resolve('no-such-name.invalid', signal)).toEqual({ ok: false, reason: 'not-found' });
});

test.each(['10.0.0.0/33', 'http://x', '10.0.0.0/a', '1.2.3'])('an exception %s is a bad setting', (entry) => {
  expect(() => createAddressGuard(entry, 'SETTING')).toThrow(SettingError);
});

test("the machine's own public addresses are not allowed, except where the operator lists them", async () => {
  const ownAddresses = () => new Set(['8.8.4.4', '2606:4700::1111']);
  const guard = createAddressGuard('', 'SETTING', { ownAddresses });
  const refused = { ok: false, reason: 'not-allowed' };
  for (const own of ['8.8.4.4', '2606:4700::1111', '2606:4700:0:0:0:0:0:1111']) {
    expect([own, await guard.resolve(own, signal)]).toEqual([own, refused]);
  }
  expect(await guard.resolve('8.8.8.8', signal)).toMatchObject({ ok: true });
  const allowing = createAddressGuard('8.8.4.4, 168.63.129.16', 'SETTING', { ownAddresses });
  expect(await allowing.resolve('8.8.4.4', signal)).toMatchObject({ ok: true });
  expect(await allowing.resolve('168.63.129.16', signal)).toMatchObject({ ok: true });
  expect(await allowing.resolve('2606:4700::1111', signal)).toEqual(refused);
});

test('the addresses of all network interfaces are refused', async () => {
  const guard = createAddressGuard('', 'SETTING');
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
  expect(own).toContain('127.0.0.1');
  for (const address of own) expect(await guard.resolve(address, signal)).toMatchObject({ ok: false });
});

test("a host knows its own public addresses, and leaves the others to the gateway's guard", () => {
  const ownAddresses = () => new Set(['8.8.4.4', '2606:4700::1111', '10.0.0.7', '127.0.0.1']);
  const isOwn = createOwnAddressCheck('', 'SETTING', ownAddresses);
  for (const own of ['8.8.4.4', '2606:4700::1111', '2606:4700:0:0:0:0:0:1111'])
    expect([own, isOwn('proxy.test', own)]).toEqual([own, true]);
  for (const other of ['8.8.8.8', '10.0.0.7', '127.0.0.1', 'no address'])
    expect([other, isOwn('proxy.test', other)]).toEqual([other, false]);
  const allowing = createOwnAddressCheck('8.8.4.0/24, proxy.test', 'SETTING', ownAddresses);
  expect(allowing('8.8.4.4', '8.8.4.4')).toBe(false);
  expect(allowing('proxy.test', '2606:4700::1111')).toBe(false);
  expect(allowing('other.test', '2606:4700::1111')).toBe(true);
});
