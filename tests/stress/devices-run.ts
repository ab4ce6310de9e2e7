import { type OperatingSystem, operatingSystems } from '@turnpike/contract/create-parameters';
import type { ChosenProfile } from '@turnpike/contract/host';
import puppeteer from 'puppeteer-core';
import { readDeviceId } from '../../apps/host/src/profile/devices/device-id.ts';
import { deviceTable } from '../../apps/host/src/profile/devices/device-table.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { startService } from '../fixtures/service/service.ts';
import { type SignalServer, startSignalServer } from '../profiles/signal-server.ts';

export interface DevicesOptions {
  /** All systems, with and without a display, in turn. */
  sessions: number;
  /** Sessions with a saved profile. */
  profiles: number;
  onSession(count: number): void;
}

export interface DevicesResult {
  /** By system: sessions, different devices, and different looks to a page. */
  systems: Record<string, { sessions: number; devices: number; looks: number; commonest: number }>;
  sameAgain: string;
  failures: string[];
}

interface Seen {
  processors: number;
  memory: number;
  gpu: string;
  model: string;
  width: number;
  height: number;
  pixelRatio: number;
}

const look = `(async () => {
  const gl = document.createElement('canvas').getContext('webgl');
  const { model = '' } = await navigator.userAgentData?.getHighEntropyValues(['model']) ?? {};
  return {
    processors: navigator.hardwareConcurrency, memory: navigator.deviceMemory, model,
    gpu: gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info').UNMASKED_RENDERER_WEBGL),
    width: screen.width, height: screen.height, pixelRatio: devicePixelRatio,
  };
})()`;

export async function runDevices({ sessions, profiles, onSession }: DevicesOptions): Promise<DevicesResult> {
  await using site = await startSignalServer();
  await using service = await startService();
  const account = await service.account({ creates_per_minute: 100_000 });
  const failures: string[] = [];
  const looks = new Map<OperatingSystem, { devices: string[]; seen: string[] }>();
  for (let count = 0; count < sessions; count += 1) {
    const os = operatingSystems[count % 4] as OperatingSystem;
    const headless = count % 8 < 4;
    const { profile, seen } = await session(account, site, { os, headless });
    failures.push(...differences(profile, seen).map((words) => `${os} ${profile.device}: ${words}`));
    const known = looks.get(os) ?? { devices: [], seen: [] };
    looks.set(os, known);
    known.devices.push(profile.device ?? '');
    known.seen.push(JSON.stringify(seen));
    onSession(count + 1);
  }
  const same = await sameAgain(account, site, profiles);
  if (same < profiles) failures.push(`${profiles - same} of ${profiles} sessions had another device`);
  return {
    systems: Object.fromEntries([...looks].map(([os, known]) => [os, distribution(known)])),
    sameAgain: `${same} of ${profiles}`,
    failures,
  };
}

/** What the session claims, and what a page of it sees. */
async function session(
  account: TestAccount,
  { origin }: SignalServer,
  params: Record<string, unknown>,
): Promise<{ profile: ChosenProfile; seen: Seen }> {
  const { json, status, text } = await account.create(params);
  if (status !== 200) throw new Error(text);
  const browser = await puppeteer.connect({ browserWSEndpoint: json.cdpUrl, defaultViewport: null });
  const page = await browser.newPage();
  // A secure context, which alone says how much memory there is.
  await page.goto(`${origin}/frame?name=alone`);
  const seen = (await page.evaluate(look)) as Seen;
  await browser.disconnect();
  await account.close(json.browserId);
  return { profile: json.browserParams.profile, seen };
}

/** What a page sees that is not of the row that the session's id names, in words. */
function differences({ device = '', os }: ChosenProfile, seen: Seen): string[] {
  const choice = readDeviceId(device);
  if (!choice) return ['it is not in the table'];
  const { row } = choice;
  const found: string[] = [];
  const same = (what: string, is: unknown, sold: unknown) => {
    if (is !== sold) found.push(`${what}: ${is}, sold with ${sold}`);
  };
  same('processors', seen.processors, row.processors);
  same('GPU', seen.gpu, row.renderer);
  same('model', seen.model, row.model ?? '');
  // Chrome names 32 GiB at most.
  const sold = Math.min(row.memory[choice.memory] as number, 32);
  if (seen.memory > sold || seen.memory < sold / 2) same('memory', seen.memory, sold);
  const { monitors } = deviceTable[os];
  const isSold = [...row.screens, ...monitors].some(
    ({ width, height, pixelRatio }) =>
      width === seen.width && height === seen.height && pixelRatio === seen.pixelRatio,
  );
  if (!isSold) found.push(`the screen ${seen.width}x${seen.height}@${seen.pixelRatio}`);
  return found;
}

/** Saves a profile, and counts sessions with it that a page finds to be the same device. */
async function sameAgain(account: TestAccount, site: SignalServer, rounds: number): Promise<number> {
  let same = 0;
  for (let round = 0; round < rounds; round += 1) {
    const os = operatingSystems[round % 4];
    const params = { os, headless: true, profile: `p${round}` };
    const first = await session(account, site, { ...params, save_profile: true });
    const second = await session(account, site, params);
    if (
      JSON.stringify([first.seen, first.profile.device]) ===
      JSON.stringify([second.seen, second.profile.device])
    )
      same += 1;
  }
  return same;
}

function distribution({ devices, seen }: { devices: string[]; seen: string[] }) {
  const counts = Map.groupBy(seen, (one) => one);
  return {
    sessions: seen.length,
    devices: new Set(devices).size,
    looks: counts.size,
    commonest: Math.max(...[...counts.values()].map((list) => list.length)),
  };
}
