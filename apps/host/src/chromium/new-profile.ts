import { filesDirectory, insideHome } from '../sandbox/inside-paths.ts';
import type { BrowserStart } from './browser-start.ts';

export const profileDirectory = `${insideHome}/profile`;

/** Of requests that belong to no page, whatever the language of the browser's own surfaces. */
export const defaultLanguages: readonly string[] = ['en-US', 'en'];

/** Settings that no flag reaches, as a person would have made them. */
const preferences = {
  // Else a page with a bad or slow certificate makes the browser look for a captive portal, at Google.
  alternate_error_pages: { enabled: false },
  intl: { accept_languages: defaultLanguages.join(), selected_languages: defaultLanguages.join() },
  download: { default_directory: filesDirectory, prompt_for_download: false },
};

/** Without it the browser drops, at its start, the cookies that are to live as long as the browser does. */
const keepingSessionCookies = { session: { restore_on_startup: 1 } };

/** In the sandbox, by its user: what is in an archive is not to be trusted. A start that it fails is no start. */
const unpack = `tar -xz -C ${profileDirectory} --no-same-owner --no-same-permissions || exit 1`;

/** Shell lines that lay out the profile before the browser's first start; `saved`: with an archive's content. */
export function profileScript(
  { uiLanguage }: Pick<BrowserStart, 'uiLanguage'>,
  { saved = false } = {},
): string[] {
  const directory = `${profileDirectory}/Default`;
  // On Linux the browser takes the language of its own surfaces from here, and from no switch.
  const language = uiLanguage === undefined ? [] : [`export LANGUAGE=${uiLanguage.replaceAll('-', '_')}`];
  return [
    ...language,
    `mkdir -p ${directory} ${filesDirectory}`,
    ...(saved ? [unpack, 'exec </dev/null'] : []),
    `echo '${JSON.stringify({ ...preferences, ...(saved && keepingSessionCookies) })}' >${directory}/Preferences`,
  ];
}
