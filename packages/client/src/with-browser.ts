/** Playwright's `chromium`. */
export interface PlaywrightDriver<Browser> {
  connectOverCDP(endpointURL: string): Promise<Browser>;
}

/** Puppeteer itself: `puppeteer` or `puppeteer-core`. */
export interface PuppeteerDriver<Browser> {
  connect(options: { browserWSEndpoint: string }): Promise<Browser>;
}

export type Driver<Browser> = PlaywrightDriver<Browser> | PuppeteerDriver<Browser>;

/** Connects whichever it is; Playwright's browser types have a `connect` as well, for another protocol. */
export function connectDriver<Browser>(driver: Driver<Browser>, cdpUrl: string): Promise<Browser> {
  if ('connectOverCDP' in driver) return driver.connectOverCDP(cdpUrl);
  return driver.connect({ browserWSEndpoint: cdpUrl });
}

/** Leaves the browser, which ends with its session; a connection that is gone already is no failure. */
export async function disconnectDriver(browser: unknown): Promise<void> {
  const { disconnect, close } = browser as { disconnect?(): unknown; close?(): unknown };
  try {
    await (disconnect ?? close)?.call(browser);
  } catch {
    // The session is closed next, whatever became of the connection.
  }
}
