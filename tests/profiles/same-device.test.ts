import puppeteer from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDeviceId } from '../../apps/host/src/profile/devices/device-id.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { quickWhere, testEach } from '../fixtures/suite/matrix.ts';
import { type SignalServer, startSignalServer } from './signal-server.ts';

watchLeaks();

let site: SignalServer;
let service: SharedService;
let account: TestAccount;

beforeAll(async () => {
  site = await startSignalServer();
  service = await sharedService();
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const signals = `({
  processors: navigator.hardwareConcurrency, memory: navigator.deviceMemory,
  screen: [screen.width, screen.height, devicePixelRatio, screen.availTop], colorDepth: screen.colorDepth,
  gpu: (() => {
    const gl = document.createElement('canvas').getContext('webgl');
    return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL);
  })(),
})`;

/** What a page of a new session sees, and what the session says that it claims. */
async function open(params: Record<string, string>) {
  const { json, status, text } = await account.create({ headless: true, ...params });
  expect(status, text).toBe(200);
  const browser = await puppeteer.connect({ browserWSEndpoint: json.cdpUrl, defaultViewport: null });
  const page = await browser.newPage();
  await page.goto(`${site.origin}/frame?name=alone`);
  const seen = (await page.evaluate(signals)) as { screen: number[]; colorDepth: number; gpu: string };
  await browser.disconnect();
  await account.close(json.browserId);
  return { profile: json.browserParams.profile, seen, os: json.browserParams.os };
}

const devices = [
  ['macos.pro14-m3-pro-11.0000', { processors: 11, memory: 16, screen: [1512, 982, 2, 33], colorDepth: 30 }],
  ['android.pixel-8a.0000', { processors: 9, memory: 8, screen: [412, 915, 2.625, 0], colorDepth: 24 }],
  ['windows.t14g2.2000', { processors: 8, memory: 32, screen: [1280, 720, 1.5, 0], colorDepth: 24 }],
  ['linux.t480.0000', { processors: 8, memory: 8, screen: [1920, 1080, 1, 0], colorDepth: 24 }],
] as const;

testEach(quickWhere(devices, ([id]) => id.startsWith('macos')))(
  'pages of a session with device=%s see that device, and its system is the session’s',
  async (device, expected) => {
    const { profile, seen, os } = await open({ device });
    expect(seen).toMatchObject(expected);
    expect(seen.gpu).toBe(readDeviceId(device)?.row.renderer);
    expect([profile.device, profile.os, os]).toEqual([device, device.split('.')[0], device.split('.')[0]]);
  },
);

test('what has no such device is told so, and nothing is left of the create', async () => {
  const answer = async (params: object) => {
    const { status, text } = await account.create({ headless: true, ...params });
    return [status, text];
  };
  expect(await answer({ device: 'windows.abacus.0000' })).toEqual([
    400,
    expect.stringContaining('device must be the id of a device that hosts know'),
  ]);
  expect(await answer({ device: 'windows.t14g2.2000', os: 'macos' })).toEqual([
    400,
    expect.stringContaining('os must be windows, the system of device'),
  ]);
  expect(await answer({ device: 'windows.t14g2.2000', device_seed: 'ann' })).toEqual([
    400,
    expect.stringContaining('device_seed must not come with device'),
  ]);
  expect((await account.get('/user/api/limits')).json).toMatchObject({ active: 0 });
});

test('a seed gives the same device to each session', { tags: 'slow' }, async () => {
  const [first, second] = [await open({ device_seed: 'ann' }), await open({ device_seed: 'ann' })];
  expect(second).toEqual(first);
});
