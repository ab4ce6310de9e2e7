import type { OperatingSystem } from '@turnpike/contract/create-parameters';

/** The device that a session claims to be. */
export interface Device {
  /** Names it for later creates: see `devices/device-id.ts`. */
  id: string;
  os: OperatingSystem;
  /** The value of `navigator.platform`. */
  platform: string;
  platformVersion: string;
  architecture: string;
  bitness: string;
  model: string;
  /** In CSS pixels; `top` and `bottom` are the heights of the system's bars. */
  screen: { width: number; height: number; top: number; bottom: number };
  pixelRatio: number;
  colorDepth: number;
  /** Whether the screen shows the colours of Display P3. */
  isWide: boolean;
  touchPoints: number;
  processors: number;
  /** GiB, the value of `navigator.deviceMemory`. */
  memory: number;
  gpu: { vendor: string; renderer: string };
}
