/**
 * What clients may speak to a session besides CDP. Each is served at `<host>/<name>/<CDP id>`, and by the names of the
 * session's members: `bidiUrl`, `playwrightUrl`, `webdriverUrl`.
 */
export const protocolNames = ['bidi', 'playwright', 'webdriver'] as const;
export type ProtocolName = (typeof protocolNames)[number];

/** The minor versions of Playwright whose `connect` is served. */
export const playwrightMinors = ['1.61', '1.62', '1.63', '1.64', '1.65'] as const;
export type PlaywrightMinor = (typeof playwrightMinors)[number];

/** Every Playwright client says its version: `Playwright/1.65.0 (x64; debian 12) node/24.11`. */
const minorOf = (userAgent = ''): string | undefined =>
  /^Playwright\/(\d{1,4}\.\d{1,4})\./.exec(userAgent)?.[1];

/** The minor version of a Playwright client. Undefined if it is not served. */
export const playwrightMinor = (userAgent: string | undefined): PlaywrightMinor | undefined =>
  playwrightMinors.find((served) => served === minorOf(userAgent));

/** What a client of another version is told. */
export function playwrightAdvice(userAgent: string | undefined): string {
  const minor = minorOf(userAgent);
  const client =
    minor === undefined
      ? 'This client does not say its Playwright version'
      : `This client is Playwright ${minor}`;
  const served = `${playwrightMinors.slice(0, -1).join(', ')} and ${playwrightMinors.at(-1)}`;
  return (
    `${client}, and Playwright ${served} are served. Install one of these, or use connectOverCDP with the ` +
    "session's CDP URL, which works with every version."
  );
}
