import type { BrowserStart } from '../chromium/browser-start.ts';
import { majorOf } from './chromium-version.ts';
import type { DevicePlan } from './profile.ts';
import { userAgent } from './user-agent.ts';

/** The start options that a plan needs. */
export function startFor({ os, userAgent, uiLanguage, device }: DevicePlan, headless: boolean): BrowserStart {
  return {
    headless,
    os,
    userAgent,
    uiLanguage: uiLanguage === 'en-US' ? undefined : uiLanguage,
    pixelRatio: headless ? 1 : device.pixelRatio,
  };
}

/** The start options of a create with default parameters. */
export function usualStart(headless: boolean, chromiumVersion: string): BrowserStart {
  return {
    headless,
    os: 'windows',
    userAgent: userAgent('windows', majorOf(chromiumVersion)),
    uiLanguage: undefined,
    pixelRatio: 1,
  };
}
