import type { Browser } from '../chromium/browser.ts';
import type { PausedRequest } from '../chromium/controller.ts';
import { firstLanguages } from '../chromium/new-profile.ts';
import { SettingsPage } from '../chromium/settings-page.ts';
import { acceptLanguage, withBases } from './languages.ts';
import type { Command } from './overrides.ts';

/**
 * Of what the browser fetches by itself, which is no target's: the scripts of service workers, and their
 * updates. Where these are not the languages that it was started with it takes a tenth of a second.
 */
export async function setBrowserLanguages(browser: Browser, languages: readonly string[]): Promise<void> {
  if (languages.join() === firstLanguages.join()) return;
  await using settings = await SettingsPage.open(browser);
  await settings.set('intl.selected_languages', setting(languages));
}

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
  return languages.join() !== firstLanguages.join() && setting(languages).includes(',');
}

/** Stops the request for a service worker's script, to those who attach by way of the page. */
export const stopScript: Command = ['Fetch.enable', {}];

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
