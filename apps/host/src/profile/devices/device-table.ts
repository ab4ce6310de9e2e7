import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import { linuxComputers, linuxVersions } from './linux-computers.ts';
import { macs, macVersions } from './macs.ts';
import { macMonitors, monitors } from './monitors.ts';
import { androidVersions, phones } from './phones.ts';
import type { SoldDevice, SoldScreen } from './sold-device.ts';
import { windowsComputers, windowsVersions } from './windows-computers.ts';

/** What devices of a system are drawn from. Orders of lists are part of device ids. */
interface SystemTable {
  devices: readonly SoldDevice[];
  /** Versions of the system, each with its weight. */
  versions: readonly (readonly [string, number])[];
  /** Screens that any device can have besides its own. */
  monitors: readonly SoldScreen[];
  /** Heights of what the desktop reserves at the top and the bottom, each with its weight. A Mac's menu bar is its screen's. */
  bars: readonly (readonly [top: number, bottom: number, weight: number])[];
}

export const deviceTable: Readonly<Record<OperatingSystem, SystemTable>> = {
  windows: {
    devices: windowsComputers,
    versions: windowsVersions,
    monitors,
    bars: [[0, 48, 1]],
  },
  macos: {
    devices: macs,
    versions: macVersions,
    monitors: macMonitors,
    bars: [
      [0, 0, 6],
      [0, 62, 2],
      [0, 67, 2],
      [0, 74, 2],
      [0, 82, 1],
      [0, 90, 1],
    ],
  },
  linux: {
    devices: linuxComputers,
    versions: linuxVersions,
    monitors,
    bars: [
      [0, 0, 4],
      [27, 0, 3],
      [32, 0, 4],
      [0, 44, 2],
      [0, 48, 1],
    ],
  },
  android: { devices: phones, versions: androidVersions, monitors: [], bars: [[0, 0, 1]] },
};

/** Checks that a device runs a version of its system. */
export function runs({ systems }: SoldDevice, version: string): boolean {
  const major = Number.parseInt(version, 10);
  return !systems || (major >= systems[0] && major <= systems[1]);
}

/** Positions in the lists of a system, which make a device of a row. Monitors follow the device's own screens. */
export interface Choice {
  row: SoldDevice;
  memory: number;
  screen: { ofMonitors: boolean; index: number };
  version: number;
  bars: number;
}

export function screenOf(os: OperatingSystem, { row, screen }: Choice): SoldScreen {
  const list = screen.ofMonitors ? deviceTable[os].monitors : row.screens;
  return list[screen.index] as SoldScreen;
}

const byId = Object.fromEntries(
  Object.entries(deviceTable).map(([os, { devices }]) => [os, new Map(devices.map((row) => [row.id, row]))]),
) as Record<OperatingSystem, Map<string, SoldDevice>>;

export const findRow = (os: OperatingSystem, id: string): SoldDevice | undefined => byId[os].get(id);
