import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import catalogue from './devices.json' with { type: 'json' };

/** One device of an operating system. */
export interface Device {
  /** The value of `navigator.platform`. */
  platform: string;
  platformVersion: string;
  architecture: string;
  bitness: string;
  model: string;
  /** In CSS pixels; `top` and `bottom` are the heights of the system's bars. */
  screen: { width: number; height: number; top: number; bottom: number };
  pixelRatio: number;
  touchPoints: number;
  processors: number;
  /** GiB, the value of `navigator.deviceMemory`. */
  memory: number;
  gpu: { vendor: string; renderer: string };
}

/** Drawn from fingerprint-generator's data by `scripts/generate/draw-devices.ts`. */
export const devices: Readonly<Record<OperatingSystem, readonly Device[]>> = catalogue;

/** A full version of each known major version. */
export const seenVersions: Readonly<Record<string, string>> = catalogue.versions;
