/** A screen at one of its scalings, in CSS pixels. */
export interface SoldScreen {
  width: number;
  height: number;
  pixelRatio: number;
  weight: number;
  /** Heights of the menu bar of a Mac: until macOS 15, and from 26. */
  menuBar?: readonly [number, number];
  /** Bits of a pixel, 24 if undefined. */
  colorDepth?: number;
  /** Whether it shows the colours of Display P3. */
  isWide?: boolean;
}

/**
 * A device as it was sold. A session's device id refers to its lists by position: add at their ends, and give what is
 * not to be chosen any more a weight of 0.
 */
export interface SoldDevice {
  /** Never changes: it is part of ids. */
  id: string;
  /** For people. */
  name: string;
  /** How common it is among the devices of its system. */
  weight: number;
  /** Of a phone: what `navigator.userAgentData` calls it. */
  model?: string;
  /** Threads of its processor. */
  processors: number;
  /** GiB that it was sold with. */
  memory: readonly number[];
  /** As ANGLE or a phone's driver writes it. */
  renderer: string;
  /** Empty for a computer that is sold without one. */
  screens: readonly SoldScreen[];
  /** The first and last major version of its system that it can run. */
  systems?: readonly [number, number];
}

/** The screen of a computer: width, height and pixel ratio as people have set it, the first most often. */
export const scaled = (...sizes: (readonly [number, number, number])[]): SoldScreen[] =>
  sizes.map(([width, height, pixelRatio], index) => ({
    ...{ width, height, pixelRatio },
    weight: index === 0 ? 3 : 1,
  }));
