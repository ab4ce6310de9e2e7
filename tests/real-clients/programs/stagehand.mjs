// Stagehand without a model: its own driver, which speaks CDP.
import { Stagehand } from '@browserbasehq/stagehand';

const { CDP_URL: cdpUrl, SITE: site, LETTER: letter } = process.env;
const outcome = {};

async function connect() {
  const stagehand = new Stagehand({
    env: 'LOCAL',
    verbose: 0,
    disablePino: true,
    localBrowserLaunchOptions: { cdpUrl },
    keepAlive: true,
  });
  await stagehand.init();
  return stagehand;
}

let stagehand = await connect();
const page = await stagehand.context.newPage();
await page.goto(`${site}/`);
await page.locator('#press').click();
await page.locator('#name').fill('Ada');
await page.locator('#report').click();
// Its setInputFiles takes a browser that has a URL for one of this machine. The path is the browser's.
const backendNodeId = await page.locator('#letter').backendNodeId();
await page.sendCDP('DOM.setFileInputFiles', { files: [letter], backendNodeId });
await page.evaluate(
  () =>
    new Promise((resolve) => {
      const look = () =>
        document.querySelector('#out').textContent ? resolve() : requestAnimationFrame(look);
      look();
    }),
);
outcome.uploaded = await page.locator('#out').textContent();
outcome.picture = (await page.screenshot()).subarray(1, 4).toString();
const second = await stagehand.context.newPage();
await second.goto(`${site}/second`);
outcome.second = await second.title();
await stagehand.close();

stagehand = await connect();
const pages = stagehand.context.pages();
const again = pages.find((each) => each.url() === `${site}/`);
outcome.pressed = await again.locator('#press').textContent();
outcome.filled = await again.locator('#name').inputValue();
outcome.tabs = pages.filter((each) => each.url().startsWith(site)).length;
await stagehand.close();
console.log(JSON.stringify(outcome));
process.exit(0);
