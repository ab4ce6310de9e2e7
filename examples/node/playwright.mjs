// Prints the title of a page as seen through your proxy, and takes a picture of it.
//
//     TURNPIKE_URL=http://127.0.0.1:8080 TURNPIKE_API_KEY=tp_live_… TURNPIKE_PROXY=http://… \
//       node playwright.mjs https://example.com/ page.png
//
// Needs `npm install turnpike-client playwright-core`; no browser on this machine.
import { chromium } from 'playwright-core';
import { ProxyError, Turnpike } from 'turnpike-client';

const [url = 'https://example.com/', picture = 'page.png'] = process.argv.slice(2);
const { TURNPIKE_URL: endpoint, TURNPIKE_API_KEY: apiKey, TURNPIKE_PROXY: proxy } = process.env;
const turnpike = new Turnpike({ endpoint, apiKey });

try {
  // Closes the session when the work is done, and when it fails.
  await turnpike.withBrowser({ proxy, maxLifetime: 300, driver: chromium }, async (browser) => {
    const page = await browser.contexts()[0].newPage();
    await page.goto(url);
    console.log(await page.title());
    await page.screenshot({ path: picture });
  });
} catch (error) {
  if (!(error instanceof ProxyError)) throw error;
  console.error(`the proxy will not do: ${error.message}`);
  process.exitCode = 1;
}
