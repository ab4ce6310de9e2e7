import type { SoldDevice, SoldScreen } from './sold-device.ts';

/*
 * Macs: processor, memory, screen, and which macOS runs on them, written down by hand; compare a row with
 * support.apple.com/specs. GPU names are those that fingerprint-generator's data has.
 */

const apple = (chip: string) => `ANGLE (Apple, ANGLE Metal Renderer: Apple ${chip}, Unspecified Version)`;
const intel = (gpu: string) => `ANGLE (Intel, ANGLE Metal Renderer: Intel(R) ${gpu}, Unspecified Version)`;
const amd = (gpu: string) => `ANGLE (AMD, ANGLE Metal Renderer: AMD Radeon ${gpu}, Unspecified Version)`;

const plain = [25, 30] as const;
const panel = (
  width: number,
  height: number,
  menuBar: readonly [number, number],
  more: Partial<SoldScreen> = {},
): SoldScreen => ({
  width,
  height,
  pixelRatio: 2,
  weight: 3,
  menuBar,
  isWide: true,
  colorDepth: 30,
  ...more,
});

const more = { weight: 1 };
const air13 = [panel(1470, 956, [38, 33]), panel(1710, 1112, [44, 39], more)];
const air13M1 = [panel(1440, 900, plain), panel(1680, 1050, plain, more)];
const air15 = [panel(1710, 1107, [39, 34])];
const pro14 = [panel(1512, 982, [38, 33]), panel(1800, 1169, [44, 39], more)];
const pro16 = [panel(1728, 1117, [38, 33]), panel(2056, 1329, [44, 39], more)];
const iMac24 = [panel(2240, 1260, plain)];

type Row = readonly [
  id: string,
  name: string,
  weight: number,
  chip: string,
  processors: number,
  memory: readonly number[],
  screens: readonly SoldScreen[],
  systems?: readonly [number, number],
];

const ofApple: readonly Row[] = [
  ['air13-m1', 'MacBook Air 13" (M1, 2020)', 20, 'M1', 8, [8, 16], air13M1],
  ['pro13-m1', 'MacBook Pro 13" (M1, 2020)', 8, 'M1', 8, [8, 16], air13M1],
  ['mini-m1', 'Mac mini (M1, 2020)', 5, 'M1', 8, [8, 16], []],
  ['imac24-m1', 'iMac 24" (M1, 2021)', 6, 'M1', 8, [8, 16], iMac24],
  ['pro14-m1-pro-8', 'MacBook Pro 14" (M1 Pro, 2021)', 5, 'M1 Pro', 8, [16, 32], pro14],
  ['pro14-m1-pro-10', 'MacBook Pro 14" (M1 Pro, 2021)', 5, 'M1 Pro', 10, [16, 32], pro14],
  ['pro16-m1-pro', 'MacBook Pro 16" (M1 Pro, 2021)', 7, 'M1 Pro', 10, [16, 32], pro16],
  ['pro14-m1-max', 'MacBook Pro 14" (M1 Max, 2021)', 2, 'M1 Max', 10, [32, 64], pro14],
  ['pro16-m1-max', 'MacBook Pro 16" (M1 Max, 2021)', 3, 'M1 Max', 10, [32, 64], pro16],
  ['studio-m1-max', 'Mac Studio (M1 Max, 2022)', 2, 'M1 Max', 10, [32, 64], []],
  ['studio-m1-ultra', 'Mac Studio (M1 Ultra, 2022)', 1, 'M1 Ultra', 20, [64, 128], []],
  ['air13-m2', 'MacBook Air 13" (M2, 2022)', 14, 'M2', 8, [8, 16, 24], air13],
  ['air15-m2', 'MacBook Air 15" (M2, 2023)', 5, 'M2', 8, [8, 16, 24], air15],
  ['pro13-m2', 'MacBook Pro 13" (M2, 2022)', 3, 'M2', 8, [8, 16, 24], air13M1],
  ['mini-m2', 'Mac mini (M2, 2023)', 4, 'M2', 8, [8, 16, 24], []],
  ['pro14-m2-pro-10', 'MacBook Pro 14" (M2 Pro, 2023)', 2, 'M2 Pro', 10, [16, 32], pro14],
  ['pro14-m2-pro-12', 'MacBook Pro 14" (M2 Pro, 2023)', 2, 'M2 Pro', 12, [16, 32], pro14],
  ['pro16-m2-pro', 'MacBook Pro 16" (M2 Pro, 2023)', 3, 'M2 Pro', 12, [16, 32], pro16],
  ['mini-m2-pro', 'Mac mini (M2 Pro, 2023)', 1, 'M2 Pro', 10, [16, 32], []],
  ['pro16-m2-max', 'MacBook Pro 16" (M2 Max, 2023)', 2, 'M2 Max', 12, [32, 64, 96], pro16],
  ['studio-m2-max', 'Mac Studio (M2 Max, 2023)', 1, 'M2 Max', 12, [32, 64, 96], []],
  ['studio-m2-ultra', 'Mac Studio (M2 Ultra, 2023)', 1, 'M2 Ultra', 24, [64, 128, 192], []],
  ['air13-m3', 'MacBook Air 13" (M3, 2024)', 10, 'M3', 8, [8, 16, 24], air13, [14, 26]],
  ['air15-m3', 'MacBook Air 15" (M3, 2024)', 5, 'M3', 8, [8, 16, 24], air15, [14, 26]],
  ['pro14-m3', 'MacBook Pro 14" (M3, 2023)', 4, 'M3', 8, [8, 16, 24], pro14, [14, 26]],
  ['imac24-m3', 'iMac 24" (M3, 2023)', 2, 'M3', 8, [8, 16, 24], iMac24, [14, 26]],
  ['pro14-m3-pro-11', 'MacBook Pro 14" (M3 Pro, 2023)', 3, 'M3 Pro', 11, [18, 36], pro14, [14, 26]],
  ['pro14-m3-pro-12', 'MacBook Pro 14" (M3 Pro, 2023)', 2, 'M3 Pro', 12, [18, 36], pro14, [14, 26]],
  ['pro16-m3-pro', 'MacBook Pro 16" (M3 Pro, 2023)', 3, 'M3 Pro', 12, [18, 36], pro16, [14, 26]],
  ['pro16-m3-max-14', 'MacBook Pro 16" (M3 Max, 2023)', 1, 'M3 Max', 14, [36, 96], pro16, [14, 26]],
  ['pro16-m3-max-16', 'MacBook Pro 16" (M3 Max, 2023)', 1, 'M3 Max', 16, [48, 64, 128], pro16, [14, 26]],
  ['air13-m4', 'MacBook Air 13" (M4, 2025)', 14, 'M4', 10, [16, 24, 32], air13, [15, 26]],
  ['air15-m4', 'MacBook Air 15" (M4, 2025)', 7, 'M4', 10, [16, 24, 32], air15, [15, 26]],
  ['pro14-m4', 'MacBook Pro 14" (M4, 2024)', 6, 'M4', 10, [16, 24, 32], pro14, [15, 26]],
  ['mini-m4', 'Mac mini (M4, 2024)', 8, 'M4', 10, [16, 24, 32], [], [15, 26]],
  ['imac24-m4-8', 'iMac 24" (M4, 2024)', 1, 'M4', 8, [16, 24], iMac24, [15, 26]],
  ['imac24-m4-10', 'iMac 24" (M4, 2024)', 2, 'M4', 10, [16, 24, 32], iMac24, [15, 26]],
  ['pro14-m4-pro-12', 'MacBook Pro 14" (M4 Pro, 2024)', 4, 'M4 Pro', 12, [24, 48], pro14, [15, 26]],
  ['pro14-m4-pro-14', 'MacBook Pro 14" (M4 Pro, 2024)', 3, 'M4 Pro', 14, [24, 48], pro14, [15, 26]],
  ['pro16-m4-pro', 'MacBook Pro 16" (M4 Pro, 2024)', 4, 'M4 Pro', 14, [24, 48], pro16, [15, 26]],
  ['mini-m4-pro', 'Mac mini (M4 Pro, 2024)', 2, 'M4 Pro', 12, [24, 48, 64], [], [15, 26]],
  ['pro16-m4-max-14', 'MacBook Pro 16" (M4 Max, 2024)', 1, 'M4 Max', 14, [36], pro16, [15, 26]],
  ['pro16-m4-max-16', 'MacBook Pro 16" (M4 Max, 2024)', 1, 'M4 Max', 16, [48, 64, 128], pro16, [15, 26]],
  ['studio-m3-ultra', 'Mac Studio (M3 Ultra, 2025)', 1, 'M3 Ultra', 28, [96, 256], [], [15, 26]],
  ['pro14-m5', 'MacBook Pro 14" (M5, 2025)', 4, 'M5', 10, [16, 24, 32], pro14, [26, 26]],
];

const shallow = { colorDepth: 24 };
const retina13 = [panel(1440, 900, plain, shallow), panel(1680, 1050, plain, { ...shallow, ...more })];
const retina13Narrow = retina13.map((screen) => ({ ...screen, isWide: false }));
const retina15 = [panel(1680, 1050, plain, shallow), panel(1920, 1200, plain, { ...shallow, ...more })];
const retina16 = [panel(1792, 1120, plain, shallow), panel(2048, 1280, plain, { ...shallow, ...more })];
const retina4k = [panel(2048, 1152, plain)];
const retina5k = [panel(2560, 1440, plain)];

const ofIntel: readonly Row[] = [
  ['pro16-2019-6', 'MacBook Pro 16" (2019)', 10, intel('UHD Graphics 630'), 12, [16, 32], retina16, [13, 26]],
  [
    'pro16-2019-8',
    'MacBook Pro 16" (2019)',
    6,
    intel('UHD Graphics 630'),
    16,
    [16, 32, 64],
    retina16,
    [13, 26],
  ],
  ['pro15-2018', 'MacBook Pro 15" (2018)', 6, intel('UHD Graphics 630'), 12, [16, 32], retina15, [13, 15]],
  ['pro15-2019', 'MacBook Pro 15" (2019)', 3, intel('UHD Graphics 630'), 16, [16, 32], retina15, [13, 15]],
  [
    'pro13-2019',
    'MacBook Pro 13" (2019, four ports)',
    5,
    intel('Iris(TM) Plus Graphics 655'),
    8,
    [8, 16],
    retina13,
    [13, 15],
  ],
  [
    'pro13-2020-2',
    'MacBook Pro 13" (2020, two ports)',
    8,
    intel('Iris(TM) Plus Graphics 645'),
    8,
    [8, 16],
    retina13,
    [13, 15],
  ],
  [
    'pro13-2020-4',
    'MacBook Pro 13" (2020, four ports)',
    8,
    intel('Iris(TM) Plus Graphics'),
    8,
    [16, 32],
    retina13,
    [13, 26],
  ],
  [
    'air13-2019',
    'MacBook Air 13" (2019)',
    6,
    intel('UHD Graphics 617'),
    4,
    [8, 16],
    retina13Narrow,
    [13, 14],
  ],
  [
    'air13-2020-2',
    'MacBook Air 13" (2020, i3)',
    4,
    intel('Iris(TM) Plus Graphics'),
    4,
    [8, 16],
    retina13Narrow,
    [13, 15],
  ],
  [
    'air13-2020-4',
    'MacBook Air 13" (2020, i5)',
    6,
    intel('Iris(TM) Plus Graphics'),
    8,
    [8, 16],
    retina13Narrow,
    [13, 15],
  ],
  ['mini-2018-4', 'Mac mini (2018, i3)', 2, intel('UHD Graphics 630'), 4, [8, 16, 32], [], [13, 15]],
  ['mini-2018-6', 'Mac mini (2018, i5)', 4, intel('UHD Graphics 630'), 6, [8, 16, 32], [], [13, 15]],
  ['mini-2018-12', 'Mac mini (2018, i7)', 4, intel('UHD Graphics 630'), 12, [8, 16, 32, 64], [], [13, 15]],
  ['imac27-2020', 'iMac 27" (2020)', 6, amd('Pro 5300'), 12, [8, 16, 32], retina5k, [13, 26]],
  ['imac27-2019', 'iMac 27" (2019)', 4, amd('Pro 570X'), 6, [8, 16, 32], retina5k, [13, 15]],
  ['imac27-2019-580x', 'iMac 27" (2019, i5-9600K)', 2, amd('Pro 580X'), 6, [8, 16, 32], retina5k, [13, 15]],
  ['imac21-2019-555x', 'iMac 21.5" 4K (2019, i3)', 2, amd('Pro 555X'), 4, [8, 16], retina4k, [13, 15]],
  ['imac21-2019-560x', 'iMac 21.5" 4K (2019, i5)', 2, amd('Pro 560X'), 6, [8, 16, 32], retina4k, [13, 15]],
  ['imac27-2017', 'iMac 27" (2017)', 1, amd('Pro 570'), 4, [8, 16, 32], retina5k, [13, 13]],
  [
    'pro13-2017-2',
    'MacBook Pro 13" (2017, two ports)',
    2,
    intel('Iris(TM) Plus Graphics 640'),
    4,
    [8, 16],
    retina13,
    [13, 13],
  ],
  [
    'pro13-2017-4',
    'MacBook Pro 13" (2017, four ports)',
    1,
    intel('Iris(TM) Plus Graphics 650'),
    4,
    [8, 16],
    retina13,
    [13, 13],
  ],
  ['pro15-2017', 'MacBook Pro 15" (2017)', 1, intel('HD Graphics 630'), 8, [16], retina15, [13, 13]],
  ['imac-pro', 'iMac Pro (2017)', 1, amd('Pro Vega 56'), 16, [32, 64], retina5k, [13, 15]],
  ['mac-pro-2019', 'Mac Pro (2019)', 1, amd('Pro 580X'), 16, [32, 48, 96], [], [13, 26]],
];

const toDevice = ([id, name, weight, renderer, processors, memory, screens, systems]: Row): SoldDevice => ({
  ...{ id, name, weight, renderer, processors, memory, screens },
  systems: systems ?? [13, 26],
});

export const macs: readonly SoldDevice[] = [
  ...ofApple.map((row) => ({ ...toDevice(row), renderer: apple(row[3]) })),
  ...ofIntel.map(toDevice),
];

/** Versions that fingerprint-generator's data has, and how common each is. Their order is part of ids. */
export const macVersions: readonly (readonly [string, number])[] = [
  ['26.4.1', 8],
  ['26.3.1', 8],
  ['26.2.0', 5],
  ['26.3.0', 4],
  ['26.1.0', 2],
  ['15.6.1', 4],
  ['15.7.4', 2],
  ['15.7.5', 2],
  ['15.5.0', 1],
  ['14.8.5', 2],
  ['14.6.1', 1],
  ['13.7.8', 1],
  ['13.6.9', 1],
];
