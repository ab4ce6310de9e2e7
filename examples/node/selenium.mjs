// Drives a session with Selenium. The gateway is the remote server; quit() closes the session.
//
//     TURNPIKE_URL=http://127.0.0.1:8080 TURNPIKE_API_KEY=tp_live_… TURNPIKE_PROXY=http://… \
//       node selenium.mjs https://example.com/
//
// Needs `npm install selenium-webdriver`. No browser and no ChromeDriver on this machine.
import { Builder, By } from 'selenium-webdriver';

const [url = 'https://example.com/'] = process.argv.slice(2);
const { TURNPIKE_URL: gateway, TURNPIKE_API_KEY: key, TURNPIKE_PROXY: proxy } = process.env;

const driver = await new Builder()
  .usingServer(gateway)
  .withCapabilities({
    browserName: 'chrome',
    'turnpike:options': { key, proxy, headless: true, maxLifetime: 300 },
  })
  .build();
try {
  await driver.get(url);
  console.log(await driver.getTitle());
  console.log(await driver.findElement(By.css('h1')).getText());
} finally {
  await driver.quit();
}
