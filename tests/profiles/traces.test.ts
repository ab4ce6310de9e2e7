import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from '../fidelity/both-browsers.ts';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { brokenGraphicsExpression, graphicsExpression, tracesExpression } from './traces.ts';

watchLeaks();

const all = new AsyncDisposableStack();
let site: Site;
let account: TestAccount;

beforeAll(async () => {
  site = all.use(await startSite(pages));
  account = await all.use(await sharedService()).account();
});
afterAll(() => all.disposeAsync());

const both = `Promise.all([${tracesExpression}, ${graphicsExpression}])`;
const tell = (to: string) => `<!doctype html><body><script>
${both}.then((seen) => ${to}.postMessage({ name: document.title || name, seen }, '*'),
  (error) => ${to}.postMessage({ name: document.title || name, seen: [[String(error.stack)], null] }, '*'));
</script>`;
const inWorker = (send: string) => `const first = ${both};${send}`;

/** A page with every kind of frame and worker. Each looks at itself in its first script and tells the top page. */
const pages = {
  '/top': `<!doctype html><title>top</title><body><script>
const gathered = {};
const take = (name) => ({ data }) => { gathered[name] = data; };
addEventListener('message', ({ data }) => { if (data.name) gathered[data.name] = data.seen; });
${both}.then((seen) => { gathered.top = seen; });
const add = (name, attributes) => {
  const frame = document.createElement('iframe');
  Object.assign(frame, { name }, attributes);
  document.body.append(frame);
  return frame;
};
const inner = ${JSON.stringify(tell('parent')).replaceAll('</script>', '<\\/script>')};
add('same-site', { src: '/frame' });
add('cross-site', { src: 'http://127.0.0.1:' + location.port + '/frame' });
add('srcdoc', { srcdoc: inner });
add('sandboxed', { srcdoc: inner, sandbox: 'allow-scripts' });
add('blob', { src: URL.createObjectURL(new Blob([inner], { type: 'text/html' })) });
add('data', { src: 'data:text/html,' + encodeURIComponent(inner) });
add('blank', {}).contentWindow.eval(${JSON.stringify(both)}).then((seen) => { gathered.blank = seen; });
const nested = add('outer', {}).contentDocument.body.appendChild(document.createElement('iframe'));
nested.contentWindow.eval(${JSON.stringify(both)}).then((seen) => { gathered.nested = seen; });
new Worker('/worker.js').onmessage = take('worker');
new SharedWorker('/shared.js').port.onmessage = take('shared');
navigator.serviceWorker.onmessage = take('service');
navigator.serviceWorker.register('/service.js').then(() => navigator.serviceWorker.ready).then(({ active }) => active.postMessage(''));
const openPopup = () => void open('/popup', 'popup');
</script>`,
  '/empty': '<!doctype html><title>empty</title>',
  '/frame': tell('parent'),
  '/popup': tell('opener'),
  '/worker.js': inWorker('first.then(postMessage)'),
  '/shared.js': inWorker('onconnect = ({ ports: [port] }) => first.then((seen) => port.postMessage(seen))'),
  '/service.js': inWorker(
    'oninstall = () => skipWaiting(); onmessage = ({ source }) => first.then((seen) => source.postMessage(seen))',
  ),
};
const corners = ['top', 'same-site', 'cross-site', 'srcdoc', 'blob', 'data', 'blank', 'nested', 'popup'];
const workers = ['worker', 'shared', 'service'];
const count = (n: number) => `Object.keys(gathered).length >= ${n}`;

test('a page finds no trace of the host in any frame or worker, and the GPU that is claimed is the same and works in all', {
  tags: 'slow',
}, async () => {
  const opened = await account.create({ os: 'windows', headless: true });
  const browser = await chromium.connectOverCDP(opened.json.cdpUrl);
  const page = await browser.contexts()[0]?.newPage();
  if (!page) throw new Error('no default context');
  await page.goto(`${site.origin}/top`);
  const timeout = 30_000;
  const expected = [...corners, ...workers, 'sandboxed'];
  await page.waitForFunction(count(expected.length - 1), undefined, { timeout, polling: 50 });
  await page.evaluate('openPopup()');
  await page.waitForFunction(count(expected.length), undefined, { timeout, polling: 50 });
  const gathered = (await page.evaluate('gathered')) as Record<string, [string[], any]>;
  expect(await page.evaluate(brokenGraphicsExpression)).toEqual([]);
  await browser.close();
  await account.close(opened.json.browserId);

  expect(Object.fromEntries(expected.map((name) => [name, gathered[name]?.[0]]))).toEqual(
    Object.fromEntries(expected.map((name) => [name, []])),
  );
  const graphics = gathered['top']?.[1];
  for (const name of [...corners, ...workers]) expect(gathered[name]?.[1], name).toEqual(graphics);
  const { gpu } = opened.json.browserParams.profile.hardware;
  for (const { renderer, extensions, precisions, ...seen } of [graphics.webgl, graphics.webgl2]) {
    expect([renderer, seen.askedWithObject, seen.askedWithText]).toEqual([gpu, gpu, gpu]);
    expect(extensions).not.toContain('WEBGL_compressed_texture_etc');
    expect(new Set(Object.values(precisions))).toEqual(new Set(['127,127,23', '31,30,0']));
  }
  expect(graphics.webgl2.parameters).toMatchObject({
    MAX_VARYING_VECTORS: 30,
    MAX_UNIFORM_BUFFER_BINDINGS: 24,
  });
});

test('a phone has what Chrome has on phones, and what it cannot do is refused as if the user declined', {
  tags: 'slow',
}, async () => {
  const opened = await account.create({ os: 'android', headless: true });
  const browser = await chromium.connectOverCDP(opened.json.cdpUrl);
  const page = await browser.contexts()[0]?.newPage();
  if (!page) throw new Error('no default context');
  await page.goto(`${site.origin}/empty`);
  const seen = await page.evaluate(`(async () => {
    const refused = (run) => run().then(() => 'done', ({ name, message, stack }) => [name, message, stack.split('\\n').length].join('|'));
    return {
      plugins: [navigator.plugins.length, navigator.mimeTypes.length, navigator.pdfViewerEnabled],
      has: ['ContactsManager', 'ContentIndex', 'BarcodeDetector', 'NDEFReader', 'orientation', 'ontouchstart'].filter((name) => !(name in window)),
      hasNot: ['EyeDropper', 'HID', 'Serial'].filter((name) => name in window),
      notification: [Notification.permission, await refused(async () => new Notification('a title'))],
      canShare: navigator.canShare({ url: '/' }),
      share: await refused(() => navigator.share({ url: '/' })),
      shareNothing: await refused(() => navigator.share()),
      shareOfNobody: await refused(() => Navigator.prototype.share.call({})),
      barcode: await BarcodeDetector.getSupportedFormats(),
    };
  })()`);
  const contacts = await page.evaluate("navigator.contacts.select(['name'], {}).catch(String)");
  await browser.close();
  await account.close(opened.json.browserId);
  expect(seen).toMatchObject({
    plugins: [0, 0, false],
    has: [],
    hasNot: [],
    notification: ['default', expect.stringContaining('Illegal constructor')],
    canShare: true,
    share: 'AbortError|Share canceled|1',
    shareNothing: expect.stringContaining('TypeError|'),
    shareOfNobody: expect.stringContaining('Illegal invocation'),
    barcode: [],
  });
  expect(contacts).toBe('TypeError: Unable to open a contact selector');
});
