/** Playwright's `chromium`. */
export interface PlaywrightDriver<Browser> {
  connectOverCDP(endpointURL: string): Promise<Browser>;
}

/** Puppeteer itself: `puppeteer` or `puppeteer-core`. */
export interface PuppeteerDriver<Browser> {
  connect(options: { browserWSEndpoint: string }): Promise<Browser>;
}

export type Driver<Browser> = PlaywrightDriver<Browser> | PuppeteerDriver<Browser>;

/** Connects with either driver. Playwright's browser types have a `connect` as well, for another protocol. */
export function connectDriver<Browser>(driver: Driver<Browser>, cdpUrl: string): Promise<Browser> {
  if ('connectOverCDP' in driver) return driver.connectOverCDP(cdpUrl);
  return driver.connect({ browserWSEndpoint: cdpUrl });
}

/** Disconnects from the browser, which ends with its session. A connection that is already gone is no error. */
export async function disconnectDriver(browser: unknown): Promise<void> {
  const { disconnect, close } = browser as { disconnect?(): unknown; close?(): unknown };
  try {
    await (disconnect ?? close)?.call(browser);
  } catch {
    // The session is closed next, in any case.
  }
}
