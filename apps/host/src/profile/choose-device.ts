import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import { type Device, devices } from './device.ts';

export interface Size {
  width: number;
  height: number;
}

export interface DeviceRequest {
  os: OperatingSystem;
  /** The smallest size that the screen may have. */
  min: Size;
  /** Whether the browser is headful: then its pixel ratio is fixed, because warm browsers start with it. */
  display: boolean;
  /** GiB that the browser itself reports. Devices with the same memory are preferred: see `browser-memory.ts`. */
  memory: number;
}

/** Chooses a device of an operating system, each as likely as in the data. `random` is in [0, 1). */
export function chooseDevice(request: DeviceRequest, random = Math.random()): Device {
  const { os, min, display, memory } = request;
  const all = devices[os].filter(({ pixelRatio }) => !display || pixelRatio === displayRatio(os));
  const fitting = all.filter(({ screen }) => fits(screen, min));
  const device = pick(preferred(fitting.length > 0 ? fitting : all, memory), random);
  return fitting.length > 0 ? device : enlarged(device, request);
}

/** The commonest ratio. There is one for all, so that warm browsers fit. */
const displayRatio = (os: OperatingSystem): number => (os === 'android' ? 3 : 1);

const fits = (screen: Size, min: Size): boolean => screen.width >= min.width && screen.height >= min.height;

function preferred(candidates: readonly Device[], memory: number): readonly Device[] {
  const same = candidates.filter((device) => device.memory === memory);
  return same.length > 0 ? same : candidates;
}

function pick(candidates: readonly Device[], random: number): Device {
  return candidates[Math.floor(random * candidates.length)] as Device;
}

const largeScreens: readonly Size[] = [
  { width: 2560, height: 1440 },
  { width: 3440, height: 1440 },
  { width: 3840, height: 2160 },
  { width: 5120, height: 2880 },
  { width: 7680, height: 4320 },
];
const tablets: readonly Size[] = [
  { width: 800, height: 1280 },
  { width: 1200, height: 2000 },
  { width: 1600, height: 2560 },
];

/** Gives a device a larger screen than any in the data: one that is sold, if there is one. */
function enlarged(device: Device, { os, min, display }: DeviceRequest): Device {
  const sold = (os === 'android' ? tablets : largeScreens).find((size) => fits(size, min));
  const { width, height } = sold ?? {
    width: Math.max(min.width, device.screen.width),
    height: Math.max(min.height, device.screen.height),
  };
  const pixelRatio = os === 'android' && display ? displayRatio(os) : 1;
  return { ...device, pixelRatio, screen: { ...device.screen, width, height } };
}
