import type { BrowserParams, OperatingSystem } from '@turnpike/contract/create-parameters';
import type { ChosenProfile } from '@turnpike/contract/host';
import { chooseDevice, type Size } from './choose-device.ts';
import { type ClaimedVersion, claimVersion } from './chromium-version.ts';
import { countryDefaults, languageDefaults, machineTimeZone } from './country.ts';
import type { Device } from './device.ts';
import { languageTags, localeFor, withBases } from './languages.ts';
import { userAgent } from './user-agent.ts';

/** The part of a device profile that is chosen before the browser starts. */
export interface DevicePlan {
  os: OperatingSystem;
  version: ClaimedVersion;
  userAgent: string;
  device: Device;
  /** GiB that pages see without an override. */
  machineMemory: number;
  forceVisibility: boolean;
  /** The requested value; undefined means from the exit country. */
  browserLanguage: string | undefined;
  uiLanguage: string | undefined;
}

/** What a snapshot keeps of it: what the session claims to be, wherever it runs. */
export type KeptDevice = Pick<DevicePlan, 'os' | 'version' | 'userAgent' | 'device'>;

export const keptDevice = ({ os, version, userAgent, device }: DevicePlan): KeptDevice => ({
  os,
  version,
  userAgent,
  device,
});

/** A device profile: everything that a session claims to be. */
export interface Profile extends DevicePlan {
  languages: readonly string[];
  /** For `Intl`. */
  locale: string;
  timeZone: string;
  country: string | undefined;
}

export interface Machine {
  chromiumVersion: string;
  memory: number;
  /** As Node names it. */
  architecture?: string;
}

/** With `kept`, the device is that of a snapshot. */
export function planDevice(
  params: BrowserParams,
  { chromiumVersion, memory, architecture = process.arch }: Machine,
  kept?: KeptDevice,
): DevicePlan {
  const { os, headless, browserVersionMin: min, browserVersionMax: max } = params;
  const version = claimVersion(chromiumVersion, { ...(min && { min }), ...(max && { max }) });
  const least: Size = { width: params.screenWidthMin ?? 0, height: params.screenHeightMin ?? 0 };
  return {
    os,
    version,
    userAgent: userAgent(os, version.major),
    device: chooseDevice({
      ...{ os, min: least, display: !headless, architecture },
      ...{ device: params.device, seed: params.deviceSeed },
    }),
    machineMemory: memory,
    forceVisibility: params.forceVisibility,
    browserLanguage: params.browserLanguage,
    uiLanguage: params.uiLanguage === undefined ? undefined : localeFor(languageTags(params.uiLanguage)),
    ...kept,
  };
}

/** What is known of the place from where the session's requests come. */
export interface Place {
  /** The exit country. */
  country?: string | undefined;
  /** The country of the proxy's own address. Its exit may be elsewhere, so it decides the time zone alone. */
  proxyCountry?: string | undefined;
  machineTimeZone?: string | undefined;
}

/** Adds languages and time zone. */
export function completeProfile(
  plan: DevicePlan,
  { country, proxyCountry, machineTimeZone: ownZone = machineTimeZone() }: Place = {},
): Profile {
  const local = countryDefaults(country);
  const asked = withBases(languageTags(plan.browserLanguage ?? ''));
  const languages = asked.length > 0 ? asked : (local ?? languageDefaults('en-US')).languages;
  const locale = plan.uiLanguage ?? localeFor(languages) ?? 'en-US';
  const timeZone =
    (local ?? countryDefaults(proxyCountry))?.timeZone ??
    ownZone ??
    languageDefaults(languages[0] ?? '').timeZone;
  return { ...plan, languages, locale, timeZone, country };
}

/** The description that the API returns. */
export function describeProfile({ os, version, device, ...profile }: Profile): ChosenProfile {
  const { width, height } = device.screen;
  return {
    os,
    browserVersion: version.full,
    userAgent: profile.userAgent,
    languages: [...profile.languages],
    uiLanguage: profile.locale,
    timeZone: profile.timeZone,
    ...(profile.country && { country: profile.country }),
    device: device.id,
    screen: { width, height, pixelRatio: device.pixelRatio },
    hardware: { processors: device.processors, memory: device.memory, gpu: device.gpu.renderer },
  };
}
