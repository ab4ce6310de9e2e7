import type { BrowserStart } from '../chromium/browser-start.ts';
import { majorOf } from './chromium-version.ts';
import type { DevicePlan } from './profile.ts';
import { userAgent } from './user-agent.ts';

/** What a plan needs its browser to be started with. */
export function startFor({ userAgent, uiLanguage, device }: DevicePlan, headless: boolean): BrowserStart {
  return {
    headless,
    userAgent,
    uiLanguage: uiLanguage === 'en-US' ? undefined : uiLanguage,
    pixelRatio: headless ? 1 : device.pixelRatio,
  };
}

/** What most plans need: the defaults of a create. */
export function usualStart(headless: boolean, chromiumVersion: string): BrowserStart {
  return {
    headless,
    userAgent: userAgent('windows', majorOf(chromiumVersion)),
    uiLanguage: undefined,
    pixelRatio: 1,
  };
}
