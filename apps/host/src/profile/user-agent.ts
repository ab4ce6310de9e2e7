import type { OperatingSystem } from '@turnpike/contract/create-parameters';
import type { ClaimedVersion } from './chromium-version.ts';
import type { Device } from './device.ts';

/** Chrome's user agent string says no more than this of the system, whatever its version. */
const systems: Readonly<Record<OperatingSystem, string>> = {
  windows: 'Windows NT 10.0; Win64; x64',
  macos: 'Macintosh; Intel Mac OS X 10_15_7',
  linux: 'X11; Linux x86_64',
  android: 'Linux; Android 10; K',
};

const platformNames: Readonly<Record<OperatingSystem, string>> = {
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  android: 'Android',
};

export function userAgent(os: OperatingSystem, major: number): string {
  const mobile = os === 'android' ? ' Mobile' : '';
  return `Mozilla/5.0 (${systems[os]}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0${mobile} Safari/537.36`;
}

interface Brand {
  brand: string;
  version: string;
}

/** CDP's `Emulation.UserAgentMetadata`. */
export interface UserAgentMetadata {
  brands: Brand[];
  fullVersionList: Brand[];
  fullVersion: string;
  platform: string;
  platformVersion: string;
  architecture: string;
  model: string;
  mobile: boolean;
  bitness: string;
  wow64: boolean;
  formFactors: string[];
}

export function userAgentMetadata(
  os: OperatingSystem,
  device: Device,
  { major, full }: ClaimedVersion,
): UserAgentMetadata {
  const mobile = os === 'android';
  return {
    brands: brandList(major, String(major), (version) => version),
    fullVersionList: brandList(major, full, (version) => `${version}.0.0.0`),
    fullVersion: full,
    platform: platformNames[os],
    platformVersion: device.platformVersion,
    architecture: device.architecture,
    model: device.model,
    mobile,
    bitness: device.bitness,
    wow64: false,
    formFactors: [mobile ? 'Mobile' : 'Desktop'],
  };
}

const greaseCharacters = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'] as const;
const greaseVersions = ['8', '99', '24'] as const;
const orders = [
  [0, 1, 2],
  [0, 2, 1],
  [1, 0, 2],
  [1, 2, 0],
  [2, 0, 1],
  [2, 1, 0],
] as const;

/** As Chromium makes it of its major version (components/embedder_support/user_agent_utils.cc). */
function brandList(major: number, version: string, greaseVersion: (version: string) => string): Brand[] {
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
  const grease = {
    brand: `Not${at(greaseCharacters, major)}A${at(greaseCharacters, major + 1)}Brand`,
    version: greaseVersion(at(greaseVersions, major)),
  };
  const [greaseAt, chromiumAt, brandAt] = at(orders, major);
  const list: Brand[] = [];
  list[greaseAt] = grease;
  list[chromiumAt] = { brand: 'Chromium', version };
  list[brandAt] = { brand: 'Google Chrome', version };
  return list;
}
