// Drives a session with Selenium: ChromeDriver runs here, the browser runs there.
//
//     TURNPIKE_URL=http://127.0.0.1:8080 TURNPIKE_API_KEY=tp_live_… TURNPIKE_PROXY=http://… \
//       node selenium.mjs https://example.com/
//
// Needs `npm install turnpike-client selenium-webdriver`, and ChromeDriver of the browser's major version
// (Debian's package chromium-driver, or name another by CHROMEDRIVER). No browser on this machine.
import { Builder, By } from 'selenium-webdriver';
import chrome from 'selenium-webdriver/chrome.js';
import { Turnpike } from 'turnpike-client';
import { debuggerAddress } from './debugger-address.mjs';

const [url = 'https://example.com/'] = process.argv.slice(2);
const { TURNPIKE_URL: endpoint, TURNPIKE_API_KEY: apiKey, TURNPIKE_PROXY: proxy } = process.env;
const turnpike = new Turnpike({ endpoint, apiKey });

const session = await turnpike.open({ proxy, headless: true, maxLifetime: 300 });
const bridge = await debuggerAddress(session.cdpUrl);
try {
  const driver = await new Builder()
    .forBrowser('chrome')
    .setChromeService(new chrome.ServiceBuilder(process.env.CHROMEDRIVER ?? '/usr/bin/chromedriver'))
    .setChromeOptions(new chrome.Options().debuggerAddress(bridge.address))
    .build();
  try {
    await driver.get(url);
    console.log(await driver.getTitle());
    console.log(await driver.findElement(By.css('h1')).getText());
  } finally {
    await driver.quit();
  }
} finally {
  bridge.close();
  await session.close();
}
