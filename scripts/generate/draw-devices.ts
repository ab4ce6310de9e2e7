import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Fingerprint, FingerprintGenerator } from 'fingerprint-generator';
import type { Device } from '../../apps/host/src/profile/device.ts';

/**
 * Writes the devices that sessions claim to be, sampled from fingerprint-generator's data (Apache-2.0). Loading that
 * data takes almost a second and 100 MB, and a sample up to half a second. So it is done here, once for all hosts.
 * The generator combines values that occur together in pairs. Combinations that no real device has are left out.
 */

const wanted = { windows: 240, macos: 200, linux: 160, android: 160 } as const;
type Name = keyof typeof wanted;

/** Without 1.75, at which Chromium rounds a window to a pixel wider than its screen. */
const pixelRatios: readonly number[] = [1, 1.25, 1.5, 2, 2.25, 2.5, 2.625, 2.75, 2.8125, 3, 3.25, 3.5];
const memories: readonly number[] = [2, 4, 8, 16, 32];
const platforms: Record<Name, RegExp> = {
  windows: /^Win32$/,
  macos: /^MacIntel$/,
  linux: /^Linux x86_64$/,
  android: /^Linux (armv81|armv8l|aarch64)$/,
};
const gpus: Record<Name, RegExp> = {
  windows: /^ANGLE \((Intel|NVIDIA|AMD), .+ Direct3D11 vs_5_0 ps_5_0, D3D11\)$/,
  macos: /^ANGLE \((Apple|Intel|AMD), ANGLE Metal Renderer: .+, Unspecified Version\)$/,
  linux: /^ANGLE \((Intel|AMD|NVIDIA Corporation), .+, OpenGL( ES)? [34][\d.]+\)$/,
  android: /^(Mali-G\d+.*|Adreno \(TM\) \d+)$/,
};
const systemVersions: Record<Name, RegExp> = {
  windows: /^(13|14|15|19)\.0\.0$/, // Windows 11, whose fonts sessions have.
  macos: /^(1[3-5]|26)\.\d+\.\d+$/,
  linux: /^(|[56]\.\d+\.\d+)$/,
  android: /^1[1-6]\.0\.0$/,
};

function toDevice({ navigator, screen, videoCard }: Fingerprint): Device {
  const { platformVersion = '', architecture = '', bitness = '', model = '' } = navigator.userAgentData;
  return {
    platform: navigator.platform,
    platformVersion,
    architecture,
    bitness,
    model,
    screen: {
      width: screen.width,
      height: screen.height,
      top: screen.availTop,
      bottom: screen.height - screen.availHeight - screen.availTop,
    },
    pixelRatio: screen.devicePixelRatio,
    touchPoints: navigator.maxTouchPoints ?? 0,
    processors: navigator.hardwareConcurrency,
    memory: navigator.deviceMemory ?? 0,
    gpu: { vendor: videoCard.vendor, renderer: videoCard.renderer },
  };
}

function isChrome({ navigator }: Fingerprint): boolean {
  const { brands } = navigator.userAgentData ?? {};
  const isChromes = brands?.length === 3 && brands.some(({ brand }) => brand === 'Google Chrome');
  return isChromes && !/Edg|OPR|wv\)/.test(navigator.userAgent);
}

function isPlausible(name: Name, device: Device): boolean {
  const { screen, gpu, architecture } = device;
  const mobile = name === 'android';
  const ratio = screen.width / screen.height;
  const whole = Object.values(screen).every((length) => isWhole(length * device.pixelRatio));
  const fits = mobile
    ? screen.width >= 340 && screen.width <= 480 && ratio > 0.42 && ratio < 0.6 && screen.bottom === 0
    : screen.width >= 1280 && screen.height >= 720 && ratio > 1.2 && ratio < 2.5 && screen.bottom < 130;
  return (
    whole &&
    fits &&
    screen.bottom >= 0 &&
    screen.top >= 0 &&
    (mobile || name === 'linux' || screen.top + screen.bottom > 0) &&
    pixelRatios.includes(device.pixelRatio) &&
    memories.includes(device.memory) &&
    (!mobile || device.memory <= 8) &&
    device.processors >= 4 &&
    device.processors <= 32 &&
    device.touchPoints === (mobile ? 5 : 0) &&
    platforms[name].test(device.platform) &&
    gpus[name].test(gpu.renderer) &&
    systemVersions[name].test(device.platformVersion) &&
    (mobile ? architecture === '' && fitsModel(device) : device.bitness === '64') &&
    (name !== 'windows' || architecture === 'x86') &&
    (name !== 'linux' || architecture === 'x86') &&
    (name !== 'macos' || architecture === (gpu.renderer.includes('Apple M') ? 'arm' : 'x86'))
  );
}

/** Checks that the screen and its bars have whole pixels. A rounded size would read differently when emulated. */
const isWhole = (pixels: number): boolean => Math.abs(pixels - Math.round(pixels)) < 1e-6;

/** Checks that the GPU fits the model. Google publishes the chips of its phones; other phones may have either. */
function fitsModel({ model, gpu }: Device): boolean {
  if (!/^[\w+() -]{4,30}$/.test(model) || /sdk|emulator/i.test(model)) return false;
  const pixel = Number(/^Pixel (\d+)/.exec(model)?.[1]);
  if (Number.isNaN(pixel)) return true;
  return pixel < 10 && gpu.renderer.startsWith(pixel >= 6 ? 'Mali' : 'Adreno');
}

const generator = new FingerprintGenerator();
const versions: Record<string, string> = {};

function draw(name: Name): Device[] {
  const devices: Device[] = [];
  while (devices.length < wanted[name]) {
    const { fingerprint } = generator.getFingerprint({
      operatingSystems: [name],
      browsers: [{ name: 'chrome', minVersion: 120 }],
      devices: [name === 'android' ? 'mobile' : 'desktop'],
      slim: true,
    });
    if (!isChrome(fingerprint)) continue;
    const { uaFullVersion = '' } = fingerprint.navigator.userAgentData;
    if (/^\d+\.0\.\d{4,}\.\d+$/.test(uaFullVersion))
      versions[Number.parseInt(uaFullVersion, 10)] = uaFullVersion;
    const device = toDevice(fingerprint);
    if (isPlausible(name, device)) devices.push(device);
  }
  return devices;
}

const rows = (Object.keys(wanted) as Name[]).map(
  (name) =>
    `  "${name}": [\n${draw(name)
      .map((device) => `    ${JSON.stringify(device)}`)
      .join(',\n')}\n  ]`,
);
const path = join(import.meta.dirname, '../../apps/host/src/profile/devices.json');
writeFileSync(path, `{\n  "versions": ${JSON.stringify(versions)},\n${rows.join(',\n')}\n}\n`);
