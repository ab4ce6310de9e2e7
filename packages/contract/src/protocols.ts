/**
 * What clients may speak to a session besides CDP. Each is served at `<host>/<name>/<CDP id>`, and by the names of the
 * session's members: `bidiUrl`, `playwrightUrl`, `webdriverUrl`.
 */
export const protocolNames = ['bidi', 'playwright', 'webdriver'] as const;
export type ProtocolName = (typeof protocolNames)[number];

/** The minor versions of Playwright whose `connect` is served. */
export const playwrightMinors = ['1.61', '1.62', '1.63', '1.64', '1.65'] as const;
export type PlaywrightMinor = (typeof playwrightMinors)[number];

/** Every Playwright client says its version: `Playwright/1.65.0 (x64; debian 12) node/24.11`. Undefined: it is not served. */
export function playwrightMinor(userAgent: string | undefined): PlaywrightMinor | undefined {
  const minor = /^Playwright\/(\d+\.\d+)\./.exec(userAgent ?? '')?.[1];
  return playwrightMinors.find((served) => served === minor);
}

/** What a client of another version is told. */
export const playwrightVersionAdvice =
  `Playwright's connect() is served for the versions ${playwrightMinors.join(', ')}. ` +
  'Use one of them, or chromium.connectOverCDP() with the CDP URL, which any version can use.';
