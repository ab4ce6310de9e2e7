import { setTimeout as delay } from 'node:timers/promises';
import type { Protocol } from 'devtools-protocol';
import type { Browser } from '../chromium/browser.ts';
import { defaultLanguages } from '../chromium/new-profile.ts';
import type { Command } from '../chromium/protocol.ts';
import { SettingsPage } from '../chromium/settings-page.ts';
import { languageDefaults } from './country.ts';
import { acceptLanguage } from './languages.ts';

/** For closing the settings page of a browser that goes back to the pool. */
const closeTimeoutMs = 3000;

/**
 * Sets the languages of requests that the browser makes by itself and that belong to no target: service worker scripts
 * and their updates. That takes a settings page, and about 100 ms. So the page is opened as soon as it is known that it
 * will be needed, and closed before clients connect.
 */
export class BrowserLanguages implements AsyncDisposable {
  readonly #browser: Browser;
  #settings: Promise<SettingsPage> | undefined;

  constructor(browser: Browser, expected: readonly string[]) {
    this.#browser = browser;
    if (areOther(expected)) this.#settings = this.#open();
  }

  async set(languages: readonly string[], signal?: AbortSignal): Promise<void> {
    if (areOther(languages)) this.#settings ??= this.#open();
    await using settings = await this.#settings;
    await settings?.set('intl.selected_languages', languages.join(), signal);
  }

  /** Closes the settings page without a change. Ignores failures: a browser that fails ends anyway. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.#settings?.then((settings) => settings[Symbol.asyncDispose]()).catch(() => {});
    await Promise.race([closed, delay(closeTimeoutMs, undefined, { ref: false })]);
  }

  #open(): Promise<SettingsPage> {
    const settings = SettingsPage.open(this.#browser);
    settings.catch(() => {}); // `set` reports it.
    return settings;
  }
}

const areOther = (languages: readonly string[]): boolean => languages.join() !== defaultLanguages.join();

/**
 * First languages for which Chromium lists the same others in a private window as `countryDefaults` does. English is
 * one in every country.
 */
const sameInPrivate = new Set(
  (
    'bg-BG cs-CZ da-DK de-DE el-GR es-ES et-EE fi-FI fr-FR he-IL hi-IN hr-HR hu-HU id-ID it-IT ko-KR lv-LV nb-NO ' +
    'nl-NL pl-PL pt-BR pt-PT ro-RO ru-RU sk-SK sl-SI sr-RS sv-SE th-TH tr-TR uk-UA vi-VN zh-CN zh-TW'
  ).split(' '),
);

/**
 * Whether Chromium's setting is enough for the targets of a browser context; `own`: the browser's own. Contexts that
 * clients create are private windows to Chromium. There it keeps a single language as it is. Of several it keeps the
 * first, followed by the usual ones for it (`GetIncognitoLanguageList`).
 */
export function isSettingEnough(languages: readonly string[], { own }: { own: boolean }): boolean {
  const [first = ''] = languages;
  if (own || languages.length === 1) return true;
  const isKnown = first.startsWith('en-') || sameInPrivate.has(first);
  return isKnown && languageDefaults(first).languages.join() === languages.join();
}

/** Pauses the request of a service worker's script, which waits for those who attach through the page. */
export const scriptPattern = (url: string): Protocol.Fetch.RequestPattern => ({
  urlPattern: url.replace(/[\\*?]/g, '\\$&'),
});

/** Continues a paused request with the languages in its headers. */
export function continueWithLanguages(
  { requestId, request }: Protocol.Fetch.RequestPausedEvent,
  languages: readonly string[],
): Command {
  const headers = Object.entries(request.headers).map(([name, value]) => ({ name, value }));
  // A client may have set it already.
  if (!headers.some(({ name }) => name.toLowerCase() === 'accept-language')) {
    headers.push({ name: 'Accept-Language', value: acceptLanguage(languages) });
  }
  return ['Fetch.continueRequest', { requestId, headers }];
}
