import { systemFonts } from '../fonts/system-fonts.ts';
import { filesDirectory, profileDirectory } from '../sandbox/inside-paths.ts';
import type { BrowserStart } from './browser-start.ts';

/** The languages of requests that belong to no page, whatever the language of the user interface. */
export const defaultLanguages: readonly string[] = ['en-US', 'en'];

/** Settings that no flag can change. */
const preferences = {
  // Without this, a page with a bad or slow certificate makes Chromium look for a captive portal at Google.
  alternate_error_pages: { enabled: false },
  intl: { accept_languages: defaultLanguages.join(), selected_languages: defaultLanguages.join() },
  download: { default_directory: filesDirectory, prompt_for_download: false },
  // Otherwise a form with a password makes Chromium ask Google whether the password has leaked.
  profile: { password_manager_leak_detection: false },
};

/** A phone downloads PDF files, and says that it has no viewer for them. */
const withoutPdfViewer = { plugins: { always_open_pdf_externally: true } };

/** Makes Chromium keep session cookies when it starts. */
const keepingSessionCookies = { session: { restore_on_startup: 1 } };

/**
 * Runs inside the sandbox, because an archive's content is not trusted. The start fails when it does. There may be
 * several archives, one after the other: a profile's and a cache's.
 */
const unpack = `tar -xz --ignore-zeros -C ${profileDirectory} --no-same-owner --no-same-permissions || exit 1`;

/** Shell lines that create the profile before the browser starts; with `saved`, from an archive on standard input. */
export function profileScript(
  { os, uiLanguage }: Pick<BrowserStart, 'os' | 'uiLanguage'>,
  { saved = false } = {},
): string[] {
  const directory = `${profileDirectory}/Default`;
  // On Linux this variable sets the language of Chromium's user interface. No flag does.
  const language = uiLanguage === undefined ? [] : [`export LANGUAGE=${uiLanguage.replaceAll('-', '_')}`];
  return [
    ...language,
    `mkdir -p ${directory} ${filesDirectory}`,
    ...(saved ? [unpack, 'exec </dev/null'] : []),
    `echo '${JSON.stringify(firstPreferences(os, saved))}' >${directory}/Preferences`,
  ];
}

function firstPreferences(os: BrowserStart['os'], saved: boolean): object {
  return {
    ...preferences,
    ...genericFamilies(os),
    ...(os === 'android' && withoutPdfViewer),
    ...(saved && keepingSessionCookies),
  };
}

/** Chrome's settings for CSS's generic families, which differ from one system to another. */
function genericFamilies(os: BrowserStart['os']): object {
  if (os === 'linux') return {};
  const fonts = Object.entries(systemFonts[os].generic).map(([name, family]) => [name, { Zyyy: family }]);
  return { webkit: { webprefs: { fonts: Object.fromEntries(fonts) } } };
}
