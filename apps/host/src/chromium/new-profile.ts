import { insideHome } from '../sandbox/sandbox-arguments.ts';

export const profileDirectory = `${insideHome}/profile`;

/** Settings that no flag reaches, as a person would have made them. */
const preferences = {
  // Else a page with a bad or slow certificate makes the browser look for a captive portal, at Google.
  alternate_error_pages: { enabled: false },
};

/** Shell lines that lay out the profile before the browser's first start. */
export function profileScript(): string[] {
  const directory = `${profileDirectory}/Default`;
  return [`mkdir -p ${directory}`, `echo '${JSON.stringify(preferences)}' >${directory}/Preferences`];
}
