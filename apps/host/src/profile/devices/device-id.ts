import { systemOfDevice } from '@turnpike/contract/create-parameters';
import { type Choice, deviceTable, findRow, runs } from './device-table.ts';

/**
 * A device's id is its system, its row, and a digit for each choice: memory, screen (a letter for a monitor), version of
 * the system, bars. It stays the same while lists are only added to.
 */
export function writeDeviceId(os: keyof typeof deviceTable, { row, memory, screen, version, bars }: Choice) {
  const digit = (index: number) => index.toString(36);
  const ofScreen = screen.ofMonitors ? digit(screen.index + 10) : digit(screen.index);
  return `${os}.${row.id}.${digit(memory)}${ofScreen}${digit(version)}${digit(bars)}`;
}

/** Undefined: there is no such device. */
export function readDeviceId(id: string): Choice | undefined {
  const os = systemOfDevice(id);
  if (!os) return undefined;
  const [, rowId = '', digits = ''] = id.split('.');
  const row = findRow(os, rowId);
  const [memory = -1, screenDigit = -1, version = -1, bars = -1] = [...digits].map((one) =>
    Number.parseInt(one, 36),
  );
  const ofMonitors = screenDigit >= 10;
  const screen = { ofMonitors, index: ofMonitors ? screenDigit - 10 : screenDigit };
  const { versions, monitors, bars: allBars } = deviceTable[os];
  const [name] = versions[version] ?? [];
  if (!row || name === undefined || !runs(row, name)) return undefined;
  const screens = ofMonitors ? monitors : row.screens;
  if (!(row.memory[memory] && screens[screen.index] && allBars[bars])) return undefined;
  return { row, memory, screen, version, bars };
}
