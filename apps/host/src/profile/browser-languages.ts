import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from '../chromium/browser.ts';
import type { PausedRequest } from '../chromium/controller.ts';
import { firstLanguages } from '../chromium/new-profile.ts';
import { SettingsPage } from '../chromium/settings-page.ts';
import { acceptLanguage, withBases } from './languages.ts';
import type { Command } from './overrides.ts';

/** To close a page, of a browser that goes back to those that wait. */
const closeTimeoutMs = 3000;

/**
 * The languages of what a browser fetches by itself, which is no target's: the scripts of service workers, and
 * their updates. To change them takes a page of its settings, and that a tenth of a second: so it is opened as
 * soon as it is known that it will be needed, and before anyone looks it is closed.
 */
export class BrowserLanguages implements AsyncDisposable {
  readonly #browser: Browser;
  #settings: Promise<SettingsPage> | undefined;

  constructor(browser: Browser, expected: readonly string[]) {
    this.#browser = browser;
    if (isOther(expected)) this.#settings = this.#open();
  }

  async set(languages: readonly string[]): Promise<void> {
    if (isOther(languages)) this.#settings ??= this.#open();
    await using settings = await this.#settings;
    await settings?.set('intl.selected_languages', setting(languages));
  }

  /** Without a change. What goes wrong is the browser's end. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#settings?.then((settings) => settings[Symbol.asyncDispose]()).catch(() => {});
    await Promise.race([closed, delay(closeTimeoutMs, undefined, { ref: false })]);
  }

  #open(): Promise<SettingsPage> {
    const settings = SettingsPage.open(this.#browser);
    settings.catch(() => {}); // Whoever waits for it hears of it.
    return settings;
  }
}

const isOther = (languages: readonly string[]): boolean => languages.join() !== firstLanguages.join();

/**
 * Contexts that clients make are private ones to Chromium. There it leaves a single language as it is, and of
 * several the first, followed by what is usual with it (`GetIncognitoLanguageList`).
 */
function setting(languages: readonly string[]): string {
  const first = languages.slice(0, 1);
  return withBases(first).join() === languages.join() ? first.join() : languages.join();
}

/** Whether the setting is not enough, in some context, for what a service worker's script is asked for with. */
export function needNaming(languages: readonly string[]): boolean {
  return isOther(languages) && setting(languages).includes(',');
}

/** Stops the request for a service worker's script, which waits for those who attach by way of the page. */
export const stopScript = (url: string): Command => [
  'Fetch.enable',
  { patterns: [{ urlPattern: url.replace(/[\\*?]/g, '\\$&') }] },
];

/** Lets it go on with the languages in it, and all later ones as they are. */
export function nameLanguages(
  { requestId, request }: PausedRequest,
  languages: readonly string[],
): readonly Command[] {
  const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value }));
  // A client that sets it has done so before.
  if (!headers.some(({ name }) => name.toLowerCase() === 'accept-language')) {
    headers.push({ name: 'Accept-Language', value: acceptLanguage(languages) });
  }
  return [
    ['Fetch.continueRequest', { requestId, headers }],
    ['Fetch.disable', {}],
  ];
}
