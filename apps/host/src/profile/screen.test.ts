import { operatingSystems } from '@turnpike/contract/create-parameters';
import { afterAll, beforeAll, expect } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import { quickWhere, testEach } from '../../../../tests/fixtures/suite/matrix.ts';
import { startTestBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { type Device, devices } from './device.ts';
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
const desktops = operatingSystems.filter((os) => os !== 'android').flatMap((os) => devices[os]);
const screens = [...new Map(desktops.map((device) => [name(device), device]))];
const isQuick = ([, { pixelRatio }]: [string, Device]) => !Number.isInteger(pixelRatio);

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
