import { writeJson } from './exact-json.ts';
import type { BrowserOptions } from './options.ts';

/** The API's own names. */
const names: Record<keyof BrowserOptions, string> = {
  proxy: 'proxy',
  os: 'os',
  headless: 'headless',
  vnc: 'vnc',
  maxLifetime: 'maxLifetime',
  idleTimeout: 'idleTimeout',
  wait: 'wait',
  region: 'region',
  profile: 'profile',
  saveProfile: 'saveProfile',
  browserVersionMin: 'browser_version_min',
  browserVersionMax: 'browser_version_max',
  browserLanguage: 'browser_language',
  uiLanguage: 'ui_language',
  screenWidthMin: 'screen_width_min',
  screenHeightMin: 'screen_height_min',
  forceVisibility: 'force_visibility',
  metadata: 'metadata',
};

/** Body of POST /api/browser/create. */
export function createBody(options: BrowserOptions): Record<string, unknown> {
  const entries = Object.entries(names) as [keyof BrowserOptions, string][];
  return Object.fromEntries(
    entries.filter(([name]) => options[name] !== undefined).map(([name, param]) => [param, options[name]]),
  );
}

/** Query of GET /connect. */
export function connectQuery(options: BrowserOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(createBody(options)).map(([param, value]) => [
      param,
      typeof value === 'object' ? writeJson(value) : String(value),
    ]),
  );
}
