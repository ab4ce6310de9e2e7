export interface Snippet {
  name: string;
  code: string;
}

export interface ConnectAddresses {
  sessionId: string;
  cdpUrl: string;
  /** Null: the session's host has no WebDriver. */
  webdriverUrl: string | null;
  gateway: string;
}

/** Code that connects to a running session: in the dashboard, and on the page where people try it. */
export function connectSnippets({ sessionId, cdpUrl, webdriverUrl, gateway }: ConnectAddresses): Snippet[] {
  const selenium = {
    name: 'Selenium',
    code: `from selenium import webdriver

options = webdriver.ChromeOptions()
driver = webdriver.Remote(command_executor="${webdriverUrl}", options=options)
driver.get("https://example.com/")
print(driver.title)
driver.quit()  # ends the driver; the session keeps running`,
  };
  return [
    {
      name: 'Playwright',
      code: `import { chromium } from 'playwright-core';

const browser = await chromium.connectOverCDP('${cdpUrl}');
const page = await browser.contexts()[0].newPage();
await page.goto('https://example.com/');
console.log(await page.title());
await browser.close(); // disconnects; the session keeps running`,
    },
    {
      name: 'Puppeteer',
      code: `import puppeteer from 'puppeteer-core';

const browser = await puppeteer.connect({
  browserWSEndpoint: '${cdpUrl}',
  defaultViewport: null,
});
const page = await browser.newPage();
await page.goto('https://example.com/');
console.log(await page.title());
await browser.disconnect(); // the session keeps running`,
    },
    {
      name: 'Python',
      code: `from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp("${cdpUrl}")
    page = browser.contexts[0].new_page()
    page.goto("https://example.com/")
    print(page.title())
    browser.close()  # disconnects; the session keeps running`,
    },
    ...(webdriverUrl === null ? [] : [selenium]),
    {
      name: 'curl',
      code: `# Get the CDP URL again
curl -H "x-api-key: $TURNPIKE_API_KEY" '${gateway}/connect?sessionId=${sessionId}'

# Read its status
curl -H "x-api-key: $TURNPIKE_API_KEY" '${gateway}/api/browser/${sessionId}/status'

# Close it
curl -H "x-api-key: $TURNPIKE_API_KEY" -H 'content-type: application/json' \\
  -d '{"browserId":"${sessionId}"}' '${gateway}/api/browser/close'`,
    },
  ];
}
