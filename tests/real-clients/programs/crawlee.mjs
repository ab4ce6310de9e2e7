// Crawlee, with incognito pages and a proxy for each, in a browser that is connected to by CDP.
import { Configuration, PlaywrightCrawler, ProxyConfiguration } from '@crawlee/playwright';
import { chromium } from 'playwright';

const { CDP_URL: cdpUrl, SITE: site, PROXIES: proxies } = process.env;
const seen = [];
const launcher = {
  name: () => 'chromium',
  launch: () => chromium.connectOverCDP(cdpUrl),
  executablePath: () => '/usr/bin/true',
};
const crawler = new PlaywrightCrawler(
  {
    proxyConfiguration: new ProxyConfiguration({ proxyUrls: JSON.parse(proxies) }),
    launchContext: { launcher, useIncognitoPages: true },
    browserPoolOptions: { useFingerprints: false },
    maxConcurrency: 2,
    maxRequestRetries: 0,
    async requestHandler({ page, proxyInfo, request }) {
      seen.push({ url: request.url, proxy: proxyInfo.url, text: (await page.textContent('body')).length });
    },
    async failedRequestHandler({ request }) {
      seen.push({ url: request.url, error: request.errorMessages.join(' ') });
    },
  },
  new Configuration({ persistStorage: false, availableMemoryRatio: 0.9 }),
);
await crawler.run([1, 2, 3, 4].map((number) => `${site}/echo?${number}`));
console.log(`OUTCOME ${JSON.stringify(seen)}`);
process.exit(0);
