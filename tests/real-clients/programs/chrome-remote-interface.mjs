// chrome-remote-interface. `local: true` keeps it from asking host and port for the protocol, without the path.
import CDP from 'chrome-remote-interface';

const { CDP_URL: cdpUrl, SITE: site, LETTER: letter } = process.env;
const outcome = {};

/** A page's own connection, by what the session lists. */
async function attach(find) {
  const list = await (await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/list`)).json();
  return CDP({ target: list.find(find).webSocketDebuggerUrl, local: true });
}

async function open(url) {
  const browser = await CDP({ target: cdpUrl, local: true });
  const { targetId } = await browser.Target.createTarget({ url: 'about:blank' });
  await browser.close();
  const page = await attach(({ id }) => id === targetId);
  await page.Page.enable();
  await Promise.all([page.Page.loadEventFired(), page.Page.navigate({ url })]);
  return page;
}

const read = async (page, expression) =>
  (await page.Runtime.evaluate({ expression, awaitPromise: true, returnByValue: true })).result.value;

async function press(page, selector) {
  const { x, y } = await read(
    page,
    `(({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 }))(
      document.querySelector('${selector}').getBoundingClientRect())`,
  );
  for (const type of ['mousePressed', 'mouseReleased']) {
    await page.Input.dispatchMouseEvent({ type, x, y, button: 'left', clickCount: 1 });
  }
}

const page = await open(`${site}/`);
await press(page, '#press');
await press(page, '#name');
await page.Input.insertText({ text: 'Ada' });
const { root } = await page.DOM.getDocument();
const { nodeId } = await page.DOM.querySelector({ nodeId: root.nodeId, selector: '#letter' });
await page.DOM.setFileInputFiles({ nodeId, files: [letter] });
outcome.uploaded = await read(
  page,
  `new Promise((resolve) => { const look = () => out.textContent ? resolve(out.textContent) : requestAnimationFrame(look); look(); })`,
);
const { data } = await page.Page.captureScreenshot();
outcome.picture = Buffer.from(data, 'base64').subarray(1, 4).toString();
await press(page, '#report');
const second = await open(`${site}/second`);
outcome.second = await read(second, 'document.title');
await Promise.all([page.close(), second.close()]);

const again = await attach(({ url }) => url === `${site}/`);
outcome.pressed = await read(again, 'document.querySelector("#press").textContent');
outcome.filled = await read(again, 'document.querySelector("#name").value');
const list = await (await fetch(`${cdpUrl.replace(/^ws/, 'http')}/json/list`)).json();
outcome.tabs = list.filter(({ type, url }) => type === 'page' && url.startsWith(site)).length;
await again.close();
console.log(JSON.stringify(outcome));
