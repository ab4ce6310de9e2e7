import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import { type Device, devices } from './device.ts';

export interface Size {
  width: number;
  height: number;
}

export interface DeviceWish {
  os: OperatingSystem;
  /** The least that the screen may measure. */
  min: Size;
  /** A display of the machine shows it: browsers that wait for one are started with its ratio of pixels. */
  display: boolean;
  /** GiB that the browser says by itself, which a device is best to have too: see `browser-memory.ts`. */
  memory: number;
}

/** A device of this operating system, each as likely as it is in the data. `random` is in [0, 1). */
export function chooseDevice(wish: DeviceWish, random = Math.random()): Device {
  const { os, min, display, memory } = wish;
  const all = devices[os].filter(({ pixelRatio }) => !display || pixelRatio === displayRatio(os));
  const fitting = all.filter(({ screen }) => fits(screen, min));
  const device = pick(preferred(fitting.length > 0 ? fitting : all, memory), random);
  return fitting.length > 0 ? device : enlarged(device, wish);
}

/** The commonest; one for all, so that those who ask for the same find it waiting. */
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

/** No device that was seen is as large: then the same one at a screen that is, one that is sold if there is one. */
function enlarged(device: Device, { os, min, display }: DeviceWish): Device {
  const sold = (os === 'android' ? tablets : largeScreens).find((size) => fits(size, min));
  const { width, height } = sold ?? {
    width: Math.max(min.width, device.screen.width),
    height: Math.max(min.height, device.screen.height),
  };
  const pixelRatio = os === 'android' && display ? displayRatio(os) : 1;
  return { ...device, pixelRatio, screen: { ...device.screen, width, height } };
}
