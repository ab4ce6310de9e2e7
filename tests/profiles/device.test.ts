import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OperatingSystem, operatingSystems } from '@turnpike/contract/create-parameters';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestAccount } from '../fixtures/gateway/gateway.ts';
import { closeServer, listen } from '../fixtures/network/listen.ts';
import { type SharedService, sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, quickWhere, testEach } from '../fixtures/suite/matrix.ts';
import { type FirstLook, familiesOf, type Looks, pageAt, places } from './first-look.ts';

watchLeaks({ wholeFile: true });

interface SeenRequest {
  path: string;
  /** Names of headers, in their order. */
  headers: string[];
}

const all = new AsyncDisposableStack();
const requests: SeenRequest[] = [];
let origin: string;
let service: SharedService;
let account: TestAccount;

beforeAll(async () => {
  origin = await startSite();
  service = all.use(await sharedService());
  account = await service.account({ creates_per_minute: 1000 });
});
afterAll(() => all.disposeAsync());

async function startSite(): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://site.test');
    const { port } = server.address() as AddressInfo;
    const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
    requests.push({ path: url.pathname, headers: names.map((name) => name.toLowerCase()) });
    const [type, body] = pageAt(url, port) ?? ['text/plain', ''];
    response
      .writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' })
      .end(body);
  });
  const port = await listen(server);
  all.defer(() => closeServer(server));
  return `http://localhost:${port}`;
}

const everyCell = operatingSystems.flatMap((os) => [
  { os, headless: 'true' },
  { os, headless: 'false' },
]);
const isQuick = ({ os, headless }: { os: string; headless: string }) =>
  os === 'windows' && headless === 'false';

describeEach(quickWhere(everyCell, isQuick))(
  'in a session of os=$os, headless=$headless,',
  ({ os, headless }) => {
    let browser: Browser;
    let page: Page;
    let looks: Looks;
    let id: string;

    beforeAll(async () => {
      const opened = await account.connect({ os, headless });
      expect(opened.status, opened.text).toBe(200);
      id = opened.headers.get('x-session-id') ?? '';
      browser = await puppeteer.connect({ browserWSEndpoint: opened.text, defaultViewport: null });
      requests.length = 0;
      page = await browser.newPage();
      await page.goto(`${origin}/top`);
      const gathered = (count: number) =>
        page.waitForFunction(`Object.keys(looks).length === ${count}`, { timeout: 20_000, polling: 20 });
      await gathered(places.length - 1);
      await page.evaluate("void open('/popup')");
      await gathered(places.length);
      looks = (await page.evaluate('looks')) as Looks;
    });
    afterAll(async () => {
      await browser?.disconnect();
      await account.close(id);
    });

    test('frames of all kinds, popups and workers show one device from their first script', () => {
      const { screen: _, free: __, outer: ___, ...ofWorkers } = looks.top;
      for (const [place, look] of Object.entries(looks)) {
        const expected = { place, ...('screen' in look ? looks.top : ofWorkers) };
        if (place.startsWith('data')) delete expected.memory; // Only secure contexts have it.
        expect({ place, ...look }).toEqual(expected);
      }
    });

    test('the time zone is that of some place', () => {
      expect(looks.top.timeZone).not.toMatch(/^(UTC|GMT|Etc\/.*)$/);
    });

    test('the window fills what the bars of the system leave of the screen; a later one, too', async () => {
      const { screen, free = [], outer } = looks.top;
      const [, , width = 0, height = 0] = free;
      if (os === 'android') expect(free).toEqual([0, 0, ...(screen ?? [])]);
      else expect(outer).toEqual([width, height]);
      if (os === 'windows' || os === 'macos') expect(height).toBeLessThan(screen?.[1] ?? 0);
      const context = await browser.createBrowserContext();
      const later = await context.newPage();
      await later.goto(`${origin}/plain`);
      const {
        screen: laterScreen,
        free: laterFree,
        outer: laterOuter,
      } = (await later.evaluate('first')) as FirstLook;
      expect([laterScreen, laterFree]).toEqual([screen, free]);
      const fitting = [outer];
      // Without bars a later window would have the screen's size. Chromium makes such a window a pixel smaller, at once
      // or, on a busy machine, after its first script.
      if (os === 'linux' && headless === 'false' && height === screen?.[1]) {
        fitting.push(outer?.map((length) => length - 1));
      }
      expect(fitting).toContainEqual(laterOuter);
      await context.close();
    });

    test.runIf(os !== 'linux')("families are the system's, and none of Linux", () => {
      expect(looks.top.fonts.toSorted()).toEqual(familiesOf[os]?.toSorted());
    });

    test.runIf(os !== 'linux')('local() knows its fonts, and none of Linux', async () => {
      const found = await page.evaluate(loadLocal, [...localFonts[os], ...linuxFonts]);
      expect(found).toEqual(localFonts[os]);
    });

    test("system-ui and emoji are the system's own", async () => {
      const { ui, emoji } = ownFonts[os];
      expect(await page.evaluate(sameWidth, 'system-ui', `"${ui}"`)).toBe(true);
      expect(await page.evaluate(isColoured, `"${emoji}"`)).toBe(true);
    });

    test('headers come in the order of Chrome, with the languages last', () => {
      const paths = requests.map(({ path }) => path);
      for (const path of ['/top', '/image.png', '/frame', '/worker.js', '/popup', '/from-worker']) {
        expect(paths).toContain(path);
      }
      for (const { path, headers } of requests) {
        const tail = headers.filter((name) => name === 'accept-encoding' || name === 'accept-language');
        expect([path, headers.slice(-2)]).toEqual([path, tail]);
        expect(tail).toEqual(['accept-encoding', 'accept-language']);
      }
      const top = requests
        .find(({ path }) => path === '/top')
        ?.headers.filter((name) => !fromProxy.test(name));
      expect(top).toEqual(chromeOrder);
    });

    test('the network looks like one', async () => {
      const { onLine, connection } = (await page.evaluate(networkState)) as Record<string, any>;
      expect({ onLine, effectiveType: connection.effectiveType }).toEqual({
        onLine: true,
        effectiveType: '4g',
      });
      expect(connection.rtt).toBeGreaterThan(0);
      expect(connection.downlink).toBeGreaterThan(0);
    });

    test('WebRTC has host candidates under mDNS names, by which two peers in it connect', async () => {
      const { candidates, state } = (await page.evaluate(connectPeers)) as {
        candidates: string[];
        state: string;
      };
      expect(candidates.length).toBeGreaterThan(0);
      for (const candidate of candidates)
        expect(candidate).toMatch(/ udp \d+ [\da-f-]{36}\.local \d+ typ host /);
      expect(state).toBe('open');
    });
  },
);

testEach({
  quick: [['several', 'fr-CH,de,it']],
  slow: [
    ['a language alone', 'ja'],
    ['one and its region', 'de-AT,de'],
  ],
})('with %s, headers keep their order, and scripts say the same', async (_name, browserLanguage) => {
  const opened = await account.connect({ headless: 'true', browser_language: browserLanguage });
  const browser = await puppeteer.connect({ browserWSEndpoint: opened.text, defaultViewport: null });
  const page = await browser.newPage();
  requests.length = 0;
  await page.goto(`${origin}/plain`);
  expect(requests[0]?.headers.slice(-2)).toEqual(['accept-encoding', 'accept-language']);
  const { languages } = (await page.evaluate('first')) as FirstLook;
  const status = await account.get(`/api/browser/${opened.headers.get('x-session-id')}/status`);
  expect(languages).toBe(status.json.browserParams.profile.languages.join());
  await browser.disconnect();
  await account.close(opened.headers.get('x-session-id') ?? '');
});

/** Added or changed by the proxy on the way. */
const fromProxy = /^(via|proxy-connection|connection|x-forwarded-for)$/;
const chromeOrder = [
  ...['host', 'sec-ch-ua', 'sec-ch-ua-mobile', 'sec-ch-ua-platform', 'upgrade-insecure-requests'],
  ...['user-agent', 'accept', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-user', 'sec-fetch-dest'],
  ...['accept-encoding', 'accept-language'],
];

const linuxFonts = [
  'DejaVu Sans',
  'DejaVuSans-Bold',
  'Liberation Sans',
  'LiberationMono',
  'Open Sans',
  'Ubuntu',
];
/** By full name and by PostScript name. */
const localFonts: Readonly<Record<OperatingSystem, readonly string[]>> = {
  windows: ['Segoe UI', 'Segoe UI Bold', 'ArialMT', 'Arial-BoldMT', 'Segoe UI Emoji', 'Segoe Fluent Icons'],
  macos: ['Helvetica Neue', 'Menlo-Bold', 'TimesNewRomanPSMT', 'Apple Color Emoji', 'PingFang HK Light'],
  android: ['Roboto', 'Roboto Medium', 'Noto Color Emoji', 'Dancing Script'],
  linux: [],
};
const ownFonts: Readonly<Record<OperatingSystem, { ui: string; emoji: string }>> = {
  windows: { ui: 'Segoe UI', emoji: 'Segoe UI Emoji' },
  macos: { ui: '-apple-system', emoji: 'Apple Color Emoji' },
  android: { ui: 'Roboto', emoji: 'Noto Color Emoji' },
  linux: { ui: 'sans', emoji: 'Noto Color Emoji' },
};

/*
 * The following run in a page, where this project's types end.
 */

const loadLocal = new Function(
  'names',
  `return Promise.all(names.map((name) => new FontFace('x', 'local("' + name + '")').load().then(() => name, () => '')))
    .then((found) => found.filter(Boolean));`,
) as (names: readonly string[]) => Promise<string[]>;

const sameWidth = new Function(
  'a',
  'b',
  `const text = document.createElement('canvas').getContext('2d');
  const width = (family) => { text.font = '72px ' + family; return text.measureText('mmMwWLliI0').width; };
  return width(a) === width(b);`,
) as (a: string, b: string) => boolean;

const isColoured = new Function(
  'family',
  `const text = document.createElement('canvas').getContext('2d');
  text.font = '40px ' + family;
  text.fillText('\\u{1F600}', 0, 50);
  const { data } = text.getImageData(0, 0, 80, 80);
  for (let at = 0; at < data.length; at += 4) if (data[at] > data[at + 2] + 50) return true;
  return false;`,
) as (family: string) => boolean;

const networkState = `(({ onLine, connection: { rtt, downlink, effectiveType } }) =>
  ({ onLine, connection: { rtt, downlink, effectiveType } }))(navigator)`;

const connectPeers = `(async () => {
  const [a, b] = [new RTCPeerConnection(), new RTCPeerConnection()];
  const candidates = [];
  const pass = (from, to) => {
    from.onicecandidate = ({ candidate }) => {
      if (!candidate?.candidate) return;
      candidates.push(candidate.candidate);
      to.addIceCandidate(candidate);
    };
  };
  pass(a, b);
  pass(b, a);
  const channel = a.createDataChannel('x');
  const opened = new Promise((resolve) => { channel.onopen = resolve; });
  await a.setLocalDescription(await a.createOffer());
  await b.setRemoteDescription(a.localDescription);
  await b.setLocalDescription(await b.createAnswer());
  await a.setRemoteDescription(b.localDescription);
  await opened;
  const state = channel.readyState;
  a.close();
  b.close();
  return { candidates, state };
})()`;
