import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import catalogue from './devices.json' with { type: 'json' };

/** What sets one device apart from others of its operating system. */
export interface Device {
  /** As `navigator.platform` says it. */
  platform: string;
  platformVersion: string;
  architecture: string;
  bitness: string;
  model: string;
  /** In CSS pixels; `top` and `bottom` are what the system's own bars take. */
  screen: { width: number; height: number; top: number; bottom: number };
  pixelRatio: number;
  touchPoints: number;
  processors: number;
  /** GiB, as `navigator.deviceMemory` says it. */
  memory: number;
  gpu: { vendor: string; renderer: string };
}

/** Drawn from fingerprint-generator's data by `scripts/draw-devices.ts`. */
export const devices: Readonly<Record<OperatingSystem, readonly Device[]>> = catalogue;

/** A full version of each major that was seen. */
export const seenVersions: Readonly<Record<string, string>> = catalogue.versions;
