import type { SoldScreen } from './sold-device.ts';

const monitor = (width: number, height: number, weight: number, pixelRatio = 1): SoldScreen => ({
  ...{ width, height, pixelRatio, weight },
});

/**
 * Monitors that any computer can have; their order is part of ids. Weights are their order in fingerprint-generator's
 * data. Those of weight 0 are for creates that ask for a large screen.
 */
export const monitors: readonly SoldScreen[] = [
  monitor(1920, 1080, 60),
  monitor(2560, 1440, 22),
  monitor(3440, 1440, 5),
  monitor(1920, 1200, 4),
  monitor(1680, 1050, 3),
  monitor(3840, 2160, 2),
  monitor(2560, 1080, 2),
  monitor(5120, 1440, 1),
  monitor(2560, 1600, 1),
  monitor(5120, 2880, 0),
  monitor(7680, 4320, 0),
  monitor(2560, 1440, 5, 1.5),
];

/** For Macs, which draw twice as fine on monitors of 4K and 5K. */
export const macMonitors: readonly SoldScreen[] = [
  ...monitors.slice(0, 11),
  { ...monitor(2560, 1440, 12, 2), colorDepth: 30, isWide: true },
  monitor(1920, 1080, 12, 2),
];
