import type { Command } from '../chromium/protocol.ts';
import { pageScript } from './page-script/page-script.ts';
import type { Profile } from './profile.ts';
import { userAgentMetadata } from './user-agent.ts';

/** The height of Android's status, address and navigation bars. */
const androidBars = 136;

/**
 * Overrides of which a renderer has one for all its targets, and which only the CDP session that set it may change;
 * with the parameters that clear it.
 */
const exclusive = {
  'Emulation.setLocaleOverride': {},
  'Emulation.setTimezoneOverride': { timezoneId: '' },
} as const;
export type ExclusiveMethod = keyof typeof exclusive;
export const exclusiveMethods = Object.keys(exclusive) as ExclusiveMethod[];

export const clearExclusive = (method: ExclusiveMethod): Command =>
  [method, exclusive[method]] as readonly [ExclusiveMethod, object] as Command;

export const exclusiveOverride = ({ locale, timeZone }: Profile, method: ExclusiveMethod): Command =>
  method === 'Emulation.setLocaleOverride' ? [method, { locale }] : [method, { timezoneId: timeZone }];

/** Overrides of the profile that clients may set as well. */
export const overriddenMethods: ReadonlySet<string> = new Set([
  ...exclusiveMethods,
  ...['UserAgentOverride', 'HardwareConcurrencyOverride', 'FocusEmulationEnabled'].map(inEmulation),
  ...['DeviceMetricsOverride', 'TouchEmulationEnabled'].map(inEmulation),
]);

function inEmulation(what: string): string {
  return `Emulation.set${what}`;
}

/**
 * Commands to send before setting an override again. Chromium ignores one that the same CDP session has set before,
 * even when the end of another session has undone it.
 */
export const resets: Readonly<Record<string, Command>> = {
  'Emulation.setDeviceMetricsOverride': ['Emulation.clearDeviceMetricsOverride', {}],
  'Emulation.setTouchEmulationEnabled': ['Emulation.setTouchEmulationEnabled', { enabled: false }],
  'Emulation.setFocusEmulationEnabled': ['Emulation.setFocusEmulationEnabled', { enabled: false }],
};

/** The scripts that the host runs in targets. */
export function hostScripts(profile: Profile): string[] {
  return [...new Set(['page', 'iframe', 'worker'].map((type) => scriptFor(profile, type)))];
}

/** Building a script takes a millisecond. */
const builtScripts = new WeakMap<Profile, Map<string, string>>();

function scriptFor(profile: Profile, type: string): string {
  const built = builtScripts.get(profile) ?? new Map<string, string>();
  builtScripts.set(profile, built);
  const kind = type === 'page' || type === 'iframe' ? type : 'worker';
  const script = built.get(kind) ?? buildScript(profile, kind);
  built.set(kind, script);
  return script;
}

function buildScript(profile: Profile, kind: 'page' | 'iframe' | 'worker'): string {
  // A page, too, may learn the size of its window only after its first script. A phone's is emulated and known at once.
  if (kind === 'worker' || (kind === 'page' && profile.os === 'android')) return pageScript(profile, kind);
  return pageScript(profile, { outer: mobileView(profile) });
}

/** A target that overrides are for. */
export interface OverriddenTarget {
  type: string;
  /**
   * Whether the browser's own setting has its languages. An override would move the header to another place than
   * Chrome has it in.
   */
  hasLanguages: boolean;
}

/** Commands that make a new target part of the profile; in order, before it runs. */
export function overridesFor(profile: Profile, { type, hasLanguages }: OverriddenTarget): Command[] {
  const { os, device, version, languages } = profile;
  const common: Command[] = [
    [
      'Emulation.setUserAgentOverride',
      {
        userAgent: profile.userAgent,
        ...(!hasLanguages && { acceptLanguage: languages.join(',') }),
        platform: device.platform,
        userAgentMetadata: userAgentMetadata(os, device, version),
      },
    ],
    ...exclusiveMethods.map((method) => exclusiveOverride(profile, method)),
    ['Emulation.setHardwareConcurrencyOverride', { hardwareConcurrency: device.processors }],
  ];
  const source = scriptFor(profile, type);
  // Chromium keeps a script over a change of process only where the domain is enabled.
  const enable: Command = ['Page.enable', {}];
  if (type === 'page') {
    const script: Command = ['Page.addScriptToEvaluateOnNewDocument', { source, runImmediately: true }];
    return [...common, ...pageOverrides(profile), enable, script];
  }
  if (type === 'iframe') {
    return [...common, ...touch(profile), enable, ['Page.addScriptToEvaluateOnNewDocument', { source }]];
  }
  return [...common, ['Runtime.evaluate', { expression: source }]];
}

function pageOverrides(profile: Profile): Command[] {
  const focus: Command[] = profile.forceVisibility
    ? [['Emulation.setFocusEmulationEnabled', { enabled: true }]]
    : [];
  return [...focus, ...mobile(profile), ...touch(profile)];
}

/** The viewport of a phone's browser, which is its window too. */
function mobileView({ os, device }: Profile): { width: number; height: number } | undefined {
  if (os !== 'android') return undefined;
  return { width: device.screen.width, height: device.screen.height - androidBars };
}

function mobile(profile: Profile): Command[] {
  const view = mobileView(profile);
  if (!view) return [];
  const { screen, pixelRatio } = profile.device;
  return [
    [
      'Emulation.setDeviceMetricsOverride',
      {
        ...view,
        screenWidth: screen.width,
        screenHeight: screen.height,
        deviceScaleFactor: pixelRatio,
        mobile: true,
        screenOrientation: { type: 'portraitPrimary', angle: 0 },
      },
    ],
  ];
}

function touch({ os, device }: Profile): Command[] {
  if (os !== 'android') return [];
  return [['Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: device.touchPoints }]];
}
