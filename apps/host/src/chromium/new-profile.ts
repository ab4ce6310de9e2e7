import { filesDirectory } from '../files/session-files.ts';
import { insideHome } from '../sandbox/sandbox-arguments.ts';
import type { BrowserStart } from './flags.ts';

export const profileDirectory = `${insideHome}/profile`;

/** Settings that no flag reaches, as a person would have made them. */
const preferences = {
  // Else a page with a bad or slow certificate makes the browser look for a captive portal, at Google.
  alternate_error_pages: { enabled: false },
  download: { default_directory: filesDirectory, prompt_for_download: false },
};

/** Shell lines that lay out the profile before the browser's first start. */
export function profileScript({ uiLanguage }: Pick<BrowserStart, 'uiLanguage'>): string[] {
  const directory = `${profileDirectory}/Default`;
  // On Linux the browser takes the language of its own surfaces from here, and from no switch.
  const language = uiLanguage === undefined ? [] : [`export LANGUAGE=${uiLanguage.replaceAll('-', '_')}`];
  return [
    ...language,
    `mkdir -p ${directory} ${filesDirectory}`,
    `echo '${JSON.stringify(preferences)}' >${directory}/Preferences`,
  ];
}
