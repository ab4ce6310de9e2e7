import { pageScript } from './page-script.ts';
import type { Profile } from './profile.ts';
import { userAgentMetadata } from './user-agent.ts';

export type Command = readonly [method: string, params: object];

/** What Android and its browser take of the screen's height for themselves: status, address and navigation bar. */
const androidBars = 136;

/** The scripts that are run in targets. */
export function hostScripts(profile: Profile): string[] {
  return [pageScript(profile), frameScript(profile)];
}

function frameScript(profile: Profile): string {
  return pageScript(profile, { outer: mobileView(profile) });
}

/** What to tell a new target so that it is part of the profile; in order, and before it runs. */
export function overridesFor(profile: Profile, type: string): Command[] {
  const { os, device, version, languages, locale, timeZone } = profile;
  const common: Command[] = [
    [
      'Emulation.setUserAgentOverride',
      {
        userAgent: profile.userAgent,
        acceptLanguage: languages.join(','),
        platform: device.platform,
        userAgentMetadata: userAgentMetadata(os, device, version),
      },
    ],
    ['Emulation.setLocaleOverride', { locale }],
    ['Emulation.setTimezoneOverride', { timezoneId: timeZone }],
    ['Emulation.setHardwareConcurrencyOverride', { hardwareConcurrency: device.processors }],
  ];
  const source = type === 'iframe' ? frameScript(profile) : pageScript(profile);
  // A script is kept over a change of process only where the domain is enabled.
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

/** What a phone's browser shows at once, which is its window too. */
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
