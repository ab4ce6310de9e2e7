import { createHash } from 'node:crypto';
import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import { HostError } from '@turnpike/contract/host';
import type { Device } from './device.ts';
import { readDeviceId } from './devices/device-id.ts';
import { type Choice, deviceTable, runs, screenOf } from './devices/device-table.ts';
import { makeDevice } from './devices/make-device.ts';
import type { SoldDevice, SoldScreen } from './devices/sold-device.ts';

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
  /** The machine's, as Node names it. Arithmetic shows pages the processor, so a Mac has one of its kind. */
  architecture: string;
  /** The id of a device. */
  device?: string | undefined;
  /** The same text gives the same device. */
  seed?: string | undefined;
}

type Random = () => number;

/** Chooses a device that was sold: the one that is named, the one of the seed, or any, each as likely as it is common. */
export function chooseDevice(request: DeviceRequest, random: Random = Math.random): Device {
  const { os, device: id, seed } = request;
  if (id !== undefined) return namedDevice(request, id);
  const next = seed === undefined ? random : numbersOf(`${os} ${seed}`);
  return enlarged(makeDevice(os, draw(request, next)), request);
}

function namedDevice(request: DeviceRequest, id: string): Device {
  const choice = readDeviceId(id);
  if (!choice) {
    throw new HostError(
      'DEVICE_UNKNOWN',
      `must be the id of a device that hosts know, from browserParams.profile.device. ${id} is none`,
    );
  }
  const fits = suits(request, screenOf(request.os, choice)) || request.os === 'android';
  const adapted = fits ? choice : { ...choice, screen: drawScreen(request, choice.row, numbersOf(id)) };
  return { ...enlarged(makeDevice(request.os, adapted), request), id };
}

function draw(request: DeviceRequest, random: Random): Choice {
  const { os } = request;
  const { versions, bars } = deviceTable[os];
  const row = pick(candidates(request), ({ weight }) => weight, random());
  const version = pickIndex(versions, ([name, weight]) => (runs(row, name) ? weight : 0), random());
  return {
    row,
    version,
    memory: pickIndex(row.memory, () => 1, random()),
    bars: pickIndex(bars, ([, , weight]) => weight, random()),
    screen: drawScreen(request, row, random),
  };
}

function candidates(request: DeviceRequest): readonly SoldDevice[] {
  const { os, architecture, seed } = request;
  const { devices } = deviceTable[os];
  if (os === 'macos') {
    return devices.filter(({ renderer }) => renderer.includes('(Apple,') === (architecture === 'arm64'));
  }
  // A computer can have a larger monitor, a phone has the screen that it has.
  if (os !== 'android') return devices;
  const isUsual = ({ screens }: SoldDevice) =>
    !request.display ||
    seed !== undefined ||
    screens.some(({ pixelRatio }) => pixelRatio === displayRatio(os));
  const usual = devices.filter(isUsual);
  const fitting = usual.filter(({ screens }) => screens.some((screen) => fits(screen, request.min)));
  return fitting.length > 0 ? fitting : usual;
}

/** How often a computer that has a screen of its own is used with a monitor. */
const monitorShare = 0.25;

function drawScreen(request: DeviceRequest, row: SoldDevice, random: Random): Choice['screen'] {
  if (request.os === 'android') return { ofMonitors: false, index: 0 };
  const { monitors } = deviceTable[request.os];
  const suiting = (screens: readonly SoldScreen[]) => screens.some((screen) => suits(request, screen));
  const weightOf = (screen: SoldScreen) => (suits(request, screen) ? screen.weight : 0);
  const usesMonitor = random() < monitorShare;
  const place = random();
  const isOwn = suiting(row.screens) && !(usesMonitor && monitors.some((screen) => weightOf(screen) > 0));
  if (isOwn) return { ofMonitors: false, index: pickIndex(row.screens, weightOf, place) };
  const index = monitors.some((screen) => weightOf(screen) > 0)
    ? pickIndex(monitors, weightOf, place)
    : monitors.findIndex((screen) => suits(request, screen));
  return { ofMonitors: true, index };
}

function suits({ os, min, display }: DeviceRequest, screen: SoldScreen): boolean {
  return fits(screen, min) && (!display || screen.pixelRatio === displayRatio(os));
}

/** The commonest ratio. There is one for all, so that warm browsers fit. */
const displayRatio = (os: OperatingSystem): number => (os === 'android' ? 3 : 1);

const fits = (screen: Size, min: Size): boolean => screen.width >= min.width && screen.height >= min.height;

const tablets: readonly Size[] = [
  { width: 800, height: 1280 },
  { width: 1200, height: 2000 },
  { width: 1600, height: 2560 },
];

/** Gives a phone a larger screen than any has: a tablet's, or exactly the one that is asked for. */
function enlarged(device: Device, { os, min, display }: DeviceRequest): Device {
  if (os !== 'android' || fits(device.screen, min)) return device;
  const { width, height } = tablets.find((size) => fits(size, min)) ?? {
    width: Math.max(min.width, device.screen.width),
    height: Math.max(min.height, device.screen.height),
  };
  const pixelRatio = display ? displayRatio(os) : 1;
  return { ...device, pixelRatio, screen: { ...device.screen, width, height } };
}

function pick<T>(list: readonly T[], weightOf: (item: T) => number, random: number): T {
  return list[pickIndex(list, weightOf, random)] as T;
}

function pickIndex<T>(list: readonly T[], weightOf: (item: T) => number, random: number): number {
  let left = random * list.reduce((sum, item) => sum + weightOf(item), 0);
  let last = -1;
  for (const [index, item] of list.entries()) {
    const weight = weightOf(item);
    if (weight <= 0) continue;
    last = index;
    left -= weight;
    if (left < 0) break;
  }
  return last;
}

/** Numbers in [0, 1) that follow from a text. */
function numbersOf(text: string): Random {
  const bytes = createHash('sha256').update(text).digest();
  let at = 0;
  return () => {
    const value = bytes.readUInt32LE(at % 32) / 2 ** 32;
    at += 4;
    return value;
  };
}
