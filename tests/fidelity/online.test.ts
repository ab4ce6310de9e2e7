import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { testEach } from '../fixtures/suite/matrix.ts';
import { SideBySide, withPuppeteer } from './side-by-side.ts';

watchLeaks({ wholeFile: true });

/** Numbers differ from one moment to the next: only what stays is kept of them. */
const network = `(({ onLine, connection: { rtt, downlink, effectiveType, saveData } }) =>
  ({ onLine, effectiveType, saveData, hasTime: rtt > 0, hasRate: downlink > 0 }))(navigator)`;

const everywhere = `(async () => {
  const message = (target) => new Promise((resolve) => { target.onmessage = ({ data }) => resolve(data); });
  const frame = document.createElement('iframe');
  frame.src = location.origin.replace('localhost', '127.0.0.1') + '/frame';
  const framed = message(window);
  document.body.append(frame);
  const { active } = await navigator.serviceWorker.register('/worker.js')
    .then(() => navigator.serviceWorker.ready);
  const channel = new MessageChannel();
  active.postMessage('', [channel.port2]);
  return {
    page: ${network},
    frame: await framed,
    worker: await message(new Worker('/worker.js')),
    shared: await message(new SharedWorker('/worker.js').port),
    service: await message(channel.port1),
  };
})()`;

const workerScript = `const say = (port) => port.postMessage(${network});
  if (self.DedicatedWorkerGlobalScope) say(self);
  onconnect = ({ ports: [port] }) => say(port);
  onmessage = ({ ports: [port] }) => say(port);`;

/** Every 500 pixels, from the top of what may be seen of a page at all. */
const places = Array.from({ length: 21 }, (_, index) => index * 500);
const lazyPage = `<!doctype html><body style="margin: 0; height: 12000px">${places
  .map((top) => `<img loading=lazy style="position: absolute; top: ${top}px" src="/lazy/${top}.svg">`)
  .join('')}`;
const image = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>';

let pair: SideBySide;

beforeAll(async () => {
  pair = await SideBySide.start({
    '/': ['text/html', '<!doctype html><body>'],
    '/frame': ['text/html', `<script>parent.postMessage(${network}, '*')</script>`],
    '/worker.js': ['text/javascript', workerScript],
    '/lazy': ['text/html', lazyPage],
    ...Object.fromEntries(places.map((top) => [`/lazy/${top}.svg`, ['image/svg+xml', image] as const])),
  });
});
afterAll(() => pair[Symbol.asyncDispose]());

testEach({ quick: ['false'], slow: ['true'] })(
  'pages, frames and workers are online, as they are in a Chromium of one’s own (headless: %s)',
  async (headless) => {
    const { session, direct } = await pair.compare(
      withPuppeteer(async (browser) => {
        const page = await browser.newPage();
        await page.goto(`${pair.origin}/`);
        const seen = await page.evaluate(everywhere);
        await page.close();
        return seen;
      }),
      { headless },
    );
    expect(session).toEqual(direct);
    expect(session).toMatchObject({ page: { onLine: true, effectiveType: '4g' } });
  },
);

test('images far below the window are not loaded, those near it are', { tags: 'slow' }, async () => {
  const { session, direct } = await pair.compare(
    withPuppeteer(async (browser) => {
      const page = await browser.newPage();
      await page.setViewport({ width: 1000, height: 700 });
      pair.asked.length = 0;
      await page.goto(`${pair.origin}/lazy`, { waitUntil: 'networkidle0' });
      await page.close();
      return pair.asked.filter((path) => path.startsWith('/lazy/')).toSorted();
    }),
  );
  expect(session).toEqual(direct);
  expect(session).not.toContain('/lazy/4000.svg');
});
