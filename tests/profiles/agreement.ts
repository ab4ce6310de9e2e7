import type { ChosenProfile } from '@turnpike/contract/host';
import type { SeenRequest } from './signal-server.ts';
import type { Signals } from './signals.ts';

export const corners = ['top', 'frame', 'cross', 'popup', 'worker', 'shared', 'service'] as const;
export type Gathered = Record<(typeof corners)[number], Signals>;

/** Every signal that does not agree with another, with the profile, or with what a server saw; in words. */
export function disagreements(gathered: Gathered, requests: SeenRequest[], profile: ChosenProfile): string[] {
  const found: string[] = [];
  const same = (what: string, actual: unknown, expected: unknown) => {
    const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
    if (a !== b) found.push(`${what}: ${a}, not ${b}`);
  };
  const { top } = gathered;
  for (const corner of corners) compareWithTop(corner, gathered[corner], top, same);
  compareWithProfile(top, profile, same);
  compareWithItself(top, same);
  for (const request of requests) compareRequest(request, top, same);
  return found;
}

type Same = (what: string, actual: unknown, expected: unknown) => void;

const everywhere = [
  ...[
    'userAgent',
    'appVersion',
    'platform',
    'language',
    'languages',
    'locale',
    'number',
    'timeZone',
    'offset',
  ],
  ...['processors', 'memory', 'hints', 'gpu'],
] as (keyof Signals)[];

function compareWithTop(corner: string, signals: Signals, top: Signals, same: Same): void {
  for (const name of everywhere) same(`${corner}: ${name}`, signals[name], top[name]);
  for (const native of signals.natives) {
    same(`${corner}: a function prints`, /^function [\w ]+\(\) \{ \[native code\] \}$/.test(native), true);
  }
  if (!signals.window || !top.window) return;
  same(`${corner}: webdriver`, signals.webdriver, false);
  same(`${corner}: left on window`, signals.leftovers, []);
  const { inner: _, outer, ...window } = signals.window;
  const { inner: __, outer: topOuter, ...topWindow } = top.window;
  same(`${corner}: window`, window, topWindow);
  // Without bars, Chromium makes a new window of the screen's size a pixel smaller. Each frame learns of it in its own time.
  const { screen } = top.window;
  const slack = screen.availHeight === screen.height ? 1 : 0;
  const differs = (side: 'width' | 'height') => Math.abs(outer[side] - topOuter[side]) > slack;
  if (differs('width') || differs('height')) same(`${corner}: outer`, outer, topOuter);
}

const uaSystems = { windows: 'Windows NT', macos: 'Macintosh', linux: 'X11; Linux', android: 'Android' };
const hintSystems = { windows: 'Windows', macos: 'macOS', linux: 'Linux', android: 'Android' };

function compareWithProfile(top: Signals, profile: ChosenProfile, same: Same): void {
  const { os, screen, hardware } = profile;
  const android = os === 'android';
  same('user agent of the profile', top.userAgent, profile.userAgent);
  same('system in the user agent', top.userAgent.includes(uaSystems[os]), true);
  same('system in the hints', top.hints?.platform, hintSystems[os]);
  same('mobile', [top.hints?.mobile, /Mobile/.test(top.userAgent)], [android, android]);
  same('full version', top.hints?.uaFullVersion, profile.browserVersion);
  same('languages of the profile', top.languages, profile.languages);
  same('locale', top.locale, profile.uiLanguage);
  same('time zone', top.timeZone, profile.timeZone);
  same('hardware', [top.processors, top.memory], [hardware.processors, hardware.memory]);
  same('graphics', top.gpu?.renderer, hardware.gpu);
  same('screen', [top.window?.screen.width, top.window?.screen.height], [screen.width, screen.height]);
  same('pixel ratio', top.window?.pixelRatio, screen.pixelRatio);
  same('touch', [top.window?.touchPoints, top.window?.touchEvents], [android ? 5 : 0, android]);
  same('pointer', [top.window?.coarse, top.window?.hover], [android, !android]);
}

function compareWithItself({ userAgent, language, languages, hints, window, ...top }: Signals, same: Same) {
  const major = /Chrome\/(\d+)\./.exec(userAgent)?.[1];
  const chromium = (list?: { brand: string; version: string }[]) =>
    list?.find(({ brand }) => brand === 'Chromium')?.version;
  same('app version', top.appVersion, userAgent.replace('Mozilla/', ''));
  same('major in the brands', chromium(hints?.brands), major);
  same('full version in the list', chromium(hints?.fullVersionList), hints?.uaFullVersion);
  same('major of the full version', hints?.uaFullVersion.split('.')[0], major);
  same('first language', language, languages[0]);
  same('not headless', /Headless/.test(userAgent + JSON.stringify(hints)), false);
  if (!window) return;
  const { screen, outer, inner } = window;
  same('the window is on the screen', outer.width <= screen.width && outer.height <= screen.height, true);
  same('the window is almost all of the screen', outer.width >= screen.width - 10, true);
  if (!hints?.mobile) same('the page is in the window', inner.width <= outer.width, true);
  same('media queries', window.mediaMatches, true);
}

function compareRequest(
  { path, headers }: SeenRequest,
  { userAgent, languages, hints }: Signals,
  same: Same,
) {
  const brands = (list?: { brand: string; version: string }[]) =>
    list?.map(({ brand, version }) => `"${brand}";v="${version}"`).join(', ');
  const expected: Record<string, string | undefined> = {
    'user-agent': userAgent,
    'sec-ch-ua': brands(hints?.brands),
    'sec-ch-ua-mobile': hints?.mobile ? '?1' : '?0',
    'sec-ch-ua-platform': `"${hints?.platform}"`,
    'sec-ch-ua-platform-version': `"${hints?.platformVersion}"`,
    'sec-ch-ua-full-version-list': brands(hints?.fullVersionList),
    'sec-ch-ua-model': `"${hints?.model}"`,
    'sec-ch-ua-arch': `"${hints?.architecture}"`,
    'sec-ch-ua-bitness': `"${hints?.bitness}"`,
    'sec-ch-ua-form-factors': hints?.formFactors.map((factor) => `"${factor}"`).join(', '),
  };
  for (const [name, value] of Object.entries(expected)) {
    if (name === 'user-agent' || headers[name] !== undefined) same(`${path}: ${name}`, headers[name], value);
  }
  same(`${path}: accept-language`, headers['accept-language'], acceptLanguage(languages));
}

/** As Chromium writes it: each language a tenth less wanted, down to a tenth. */
function acceptLanguage(languages: string[]): string {
  return languages
    .map((tag, index) => (index === 0 ? tag : `${tag};q=${Math.max(1, 10 - index) / 10}`))
    .join(',');
}
