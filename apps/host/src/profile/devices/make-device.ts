import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import { browserMemory } from '../browser-memory.ts';
import type { Device } from '../device.ts';
import { writeDeviceId } from './device-id.ts';
import { type Choice, deviceTable, screenOf } from './device-table.ts';

const platforms: Readonly<Record<OperatingSystem, string>> = {
  windows: 'Win32',
  macos: 'MacIntel',
  linux: 'Linux x86_64',
  // Chrome's own, on every phone.
  android: 'Linux armv81',
};

/** What a session claims of a choice. */
export function makeDevice(os: OperatingSystem, choice: Choice): Device {
  const { row } = choice;
  const { width, height, pixelRatio, colorDepth = 24, isWide = false, menuBar } = screenOf(os, choice);
  const mobile = os === 'android';
  const [platformVersion] = deviceTable[os].versions[choice.version] as readonly [string, number];
  const [barTop, bottom] = deviceTable[os].bars[choice.bars] as readonly [number, number, number];
  const { renderer } = row;
  return {
    id: writeDeviceId(os, choice),
    os,
    platform: platforms[os],
    platformVersion,
    architecture: mobile ? '' : renderer.includes('(Apple,') ? 'arm' : 'x86',
    bitness: mobile ? '' : '64',
    model: row.model ?? '',
    screen: { width, height, top: os === 'macos' ? topOfMac(platformVersion, menuBar) : barTop, bottom },
    ...{ pixelRatio, colorDepth, isWide },
    touchPoints: mobile ? 5 : 0,
    processors: row.processors,
    memory: claimedMemory(row.memory[choice.memory] as number, mobile),
    gpu: gpuOf(renderer),
  };
}

/** The menu bar of a screen without a camera in it. */
const plainMenuBar = [25, 30] as const;

function topOfMac(version: string, [before26, since26]: readonly [number, number] = plainMenuBar): number {
  return Number.parseInt(version, 10) >= 26 ? since26 : before26;
}

/** A phone's system keeps some of the memory for itself, and Chrome names at most 8 GiB of it. */
function claimedMemory(sold: number, mobile: boolean): number {
  const bytes = (mobile ? 0.93 * sold : sold) * 2 ** 30;
  return Math.min(browserMemory(bytes), mobile ? 8 : Number.POSITIVE_INFINITY);
}

/** With the name of the vendor that goes with it. */
export const gpuOf = (renderer: string): Device['gpu'] => ({ vendor: vendorOf(renderer), renderer });

function vendorOf(renderer: string): string {
  if (renderer.startsWith('Adreno')) return 'Qualcomm';
  if (renderer.startsWith('Mali')) return 'ARM';
  return `Google Inc. (${/^ANGLE \(([^,]+),/.exec(renderer)?.[1]})`;
}
