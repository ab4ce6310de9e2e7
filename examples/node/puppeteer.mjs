// Opens a page, leaves the session, comes back and finds the page as it was.
//
//     TURNPIKE_URL=http://127.0.0.1:8080 TURNPIKE_API_KEY=tp_live_… TURNPIKE_PROXY=http://… \
//       node puppeteer.mjs https://example.com/
//
// Needs `npm install turnpike-client puppeteer-core`; no browser on this machine.
import puppeteer from 'puppeteer-core';
import { Turnpike } from 'turnpike-client';

const [url = 'https://example.com/'] = process.argv.slice(2);
const { TURNPIKE_URL: endpoint, TURNPIKE_API_KEY: apiKey, TURNPIKE_PROXY: proxy } = process.env;
const turnpike = new Turnpike({ endpoint, apiKey });

// Puppeteer would make every page 800 × 600; null leaves the device's own size.
const connect = (browserWSEndpoint) => puppeteer.connect({ browserWSEndpoint, defaultViewport: null });

const session = await turnpike.open({ proxy, headless: true, maxLifetime: 300 });
try {
  const first = await connect(session.cdpUrl);
  const page = await first.newPage();
  await page.goto(url);
  await page.evaluate(() => document.body.append('I was here.'));
  await first.disconnect();

  // Later, perhaps in another program: the session id is all that it takes.
  const second = await connect(await turnpike.reconnectUrl(session.browserId));
  const again = (await second.pages()).find((candidate) => candidate.url() === url);
  console.log(await again.evaluate(() => document.body.textContent.includes('I was here.')));
  await second.disconnect();
} finally {
  await session.close();
}
