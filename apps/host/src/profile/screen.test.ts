import { operatingSystems } from '@turnpike/contract/create-parameters';
import { afterAll, beforeAll, expect } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { quickWhere, testEach } from '../../../../tests/fixtures/suite/matrix.ts';
import { startTestBrowser, type TestBrowser } from '../testing/test-browser.ts';
import type { Device } from './device.ts';
import { deviceTable } from './devices/device-table.ts';
import { makeDevice } from './devices/make-device.ts';
import type { Profile } from './profile.ts';
import { setScreen } from './screen.ts';

watchLeaks({ wholeFile: true });

let headless: TestBrowser;

beforeAll(async () => {
  headless = await startTestBrowser({ headless: true });
});
afterAll(() => headless[Symbol.asyncDispose]());

const name = ({ screen, pixelRatio }: Device) =>
  `${screen.width}×${screen.height} with bars of ${screen.top} and ${screen.bottom} at a ratio of ${pixelRatio}`;
const desktops = operatingSystems.filter((os) => os !== 'android').flatMap(allDevices);
const screens = [...new Map(desktops.map((device) => [name(device), device]))];
const isQuick = ([, { pixelRatio }]: [string, Device]) => !Number.isInteger(pixelRatio);

/** Each row of a system's table with each of its screens, and each monitor once. */
function allDevices(os: (typeof operatingSystems)[number]): Device[] {
  const { devices, monitors } = deviceTable[os];
  const [bars, version, memory] = [0, 0, 0];
  const onMonitors = monitors.map((_, index) => ({
    row: devices[0] as (typeof devices)[number],
    screen: { ofMonitors: true, index },
  }));
  const onOwn = devices.flatMap((row) =>
    row.screens.map((_, index) => ({ row, screen: { ofMonitors: false, index } })),
  );
  return [...onMonitors, ...onOwn].map((choice) => makeDevice(os, { ...choice, bars, version, memory }));
}

testEach(quickWhere(screens, isQuick))(
  'a headless window fills a screen of %s to the pixel',
  async (_, device) => {
    const { screen, pixelRatio } = device;
    const { browser, targetId, cdpSessionId, run } = headless;
    const profile = { os: 'windows', device } as Profile;
    await setScreen(browser, { targetId, cdpSessionId }, profile, new AbortController().signal);
    const sizes = () =>
      run(`[[screen.width, screen.height, devicePixelRatio],
      [screen.availLeft, screen.availTop, screen.availWidth, screen.availHeight],
      [screenX, screenY, outerWidth, outerHeight]]`);
    const free = [0, screen.top, screen.width, screen.height - screen.top - screen.bottom];
    await expect.poll(sizes).toEqual([[screen.width, screen.height, pixelRatio], free, free]);
  },
);
