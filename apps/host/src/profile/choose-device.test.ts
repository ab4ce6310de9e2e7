import { operatingSystems } from '@turnpike/contract/create-parameters';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseDevice, type DeviceRequest } from './choose-device.ts';
import { readDeviceId, writeDeviceId } from './devices/device-id.ts';
import { deviceTable, screenOf } from './devices/device-table.ts';
import { makeDevice } from './devices/make-device.ts';

const any: DeviceRequest = {
  ...{ os: 'windows', min: { width: 0, height: 0 }, display: false, architecture: 'x64' },
};
const requests = fc.record({
  os: fc.constantFrom(...operatingSystems),
  min: fc.record({ width: fc.nat(7680), height: fc.nat(4320) }),
  display: fc.boolean(),
  architecture: fc.constantFrom('x64', 'arm64'),
});
const numbers = fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true }));

it('a device is one of the table, and has at least the screen that is asked for', () => {
  fc.assert(
    fc.property(requests, numbers, (asked, random) => {
      const device = chooseDevice(asked, () => random.next().value ?? 0);
      expect(device.screen.width).toBeGreaterThanOrEqual(asked.min.width);
      expect(device.screen.height).toBeGreaterThanOrEqual(asked.min.height);
      if (asked.display) expect(device.pixelRatio).toBe(asked.os === 'android' ? 3 : 1);
      const choice = readDeviceId(device.id);
      if (!choice) throw new Error(`${device.id} is not in the table`);
      const sold = makeDevice(asked.os, choice);
      const { screen: _, pixelRatio: __, ...rest } = device;
      expect(sold).toMatchObject(rest);
      // A phone with a larger screen than any has is the one thing that was never sold.
      if (asked.os !== 'android') expect(device).toEqual(sold);
    }),
  );
});

it('every id is of one device, and comes back from it', () => {
  for (const os of operatingSystems) {
    const { devices, versions, monitors, bars } = deviceTable[os];
    expect(new Set(devices.map(({ id }) => id)).size).toBe(devices.length);
    expect(Math.max(versions.length, monitors.length - 10, bars.length)).toBeLessThanOrEqual(26);
    for (const row of devices) {
      expect(row.id).toMatch(/^[a-z0-9-]{1,40}$/);
      expect(row.screens.length).toBeLessThan(10);
      const last = { row, memory: row.memory.length - 1, screen: { ofMonitors: false, index: 0 }, bars: 0 };
      const screen = row.screens.length > 0 ? last.screen : { ofMonitors: true, index: monitors.length - 1 };
      for (const version of versions.keys()) {
        const id = writeDeviceId(os, { ...last, screen, version });
        const read = readDeviceId(id);
        if (read) expect(writeDeviceId(os, read)).toBe(id);
      }
    }
  }
});

it.each([
  'windows',
  'macos',
  'linux',
  'android',
  'beos.x.0000',
  'windows.t14g2.9000',
  'windows.t14g2.00',
  'windows.no.0000',
  'macos.pro14-m5.0090',
  'windows.constructor.0000',
])('%s is no device', (id) => {
  expect(readDeviceId(id)).toBeUndefined();
  expect(() => chooseDevice({ ...any, device: id })).toThrow('must be the id of a device');
});

describe('the same device', () => {
  it('comes again by its id, on a display too', () => {
    for (const os of operatingSystems) {
      for (let round = 0; round < 50; round++) {
        const first = chooseDevice({ ...any, os });
        expect(chooseDevice({ ...any, os, device: first.id })).toEqual(first);
        const shown = chooseDevice({ ...any, os, display: true, device: first.id });
        const { screen: _, pixelRatio, colorDepth: __, isWide: ___, ...same } = shown;
        expect(first).toMatchObject(same);
        if (os !== 'android') expect(pixelRatio).toBe(1);
      }
    }
  });

  it('comes of the same text, and another of another', () => {
    const of = (seed: string, os: DeviceRequest['os']) => chooseDevice({ ...any, os, seed });
    for (const os of operatingSystems) {
      expect(of('ann', os)).toEqual(of('ann', os));
      const ids = Array.from({ length: 40 }, (_, index) => of(`customer-${index}`, os).id);
      expect(new Set(ids).size).toBeGreaterThan(30);
    }
  });

  it('is what it was when it was first released', () => {
    expect(chooseDevice({ ...any, device: 'windows.t14g2.1000' })).toMatchObject({
      ...{ processors: 8, memory: 16, pixelRatio: 1.5, platformVersion: '19.0.0' },
      screen: { width: 1280, height: 720, top: 0, bottom: 48 },
    });
    expect(chooseDevice({ ...any, os: 'macos', device: 'macos.pro14-m3-pro-11.0011' })).toMatchObject({
      ...{ processors: 11, memory: 16, architecture: 'arm', colorDepth: 30, isWide: true },
      screen: { width: 1512, height: 982, top: 33, bottom: 62 },
    });
    expect(chooseDevice({ ...any, os: 'android', device: 'android.pixel-8a.0000' })).toMatchObject({
      ...{ processors: 9, model: 'Pixel 8a', platformVersion: '16.0.0' },
      gpu: { vendor: 'ARM', renderer: 'Mali-G715' },
    });
  });
});

it('a Mac has the kind of processor that the host has', () => {
  for (let round = 0; round < 50; round++) {
    expect(chooseDevice({ ...any, os: 'macos' }).architecture).toBe('x86');
    expect(chooseDevice({ ...any, os: 'macos', architecture: 'arm64' }).architecture).toBe('arm');
  }
});

it('devices of one system differ, and so does their memory', () => {
  for (const os of operatingSystems) {
    const drawn = Array.from({ length: 200 }, () => chooseDevice({ ...any, os }));
    expect(
      new Set(drawn.map(({ gpu, processors, model }) => `${gpu.renderer} ${processors} ${model}`)).size,
    ).toBeGreaterThan(15);
    expect(new Set(drawn.map(({ memory }) => memory)).size).toBeGreaterThan(1);
  }
});

it('a phone says at most 8 GiB, and nothing claims memory or processors that Chrome never says', () => {
  for (const os of operatingSystems) {
    for (const row of deviceTable[os].devices) {
      expect([4, 6, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22, 24, 28, 32]).toContain(row.processors);
      for (const memory of row.memory.keys()) {
        const ofMonitors = row.screens.length === 0;
        const choice = { row, memory, screen: { ofMonitors, index: 0 }, version: 0, bars: 0 };
        expect(os === 'android' ? [2, 4, 8] : [4, 8, 16, 32]).toContain(makeDevice(os, choice).memory);
        const { width, height, pixelRatio } = screenOf(os, choice);
        if (os !== 'android')
          expect([width * pixelRatio, height * pixelRatio].every(Number.isInteger)).toBe(true);
      }
    }
  }
});
