import { type Browser, type ConsoleMessage, chromium, type Page } from 'playwright-core';
import puppeteer, { type Browser as PuppeteerBrowser, type Page as PuppeteerPage } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BareClient } from '../fidelity/both-browsers.ts';
import { sharedService } from '../fixtures/service/shared-service.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type Found, type StealthSite, startStealthSite } from './site.ts';

watchLeaks({ wholeFile: true });

/** As a function, which clients send with a name of their own. */
const titleOfTop = Function('return document.getElementById("title").textContent') as () => string;
const wordOf = 'document.querySelector("#word")?.textContent';
const typed = '[clicked, document.querySelector("input").value].join()';
const frameNames = ['same', 'doc', 'cross'];
const frameWords = ['same', 'srcdoc', 'cross'];

const all = new AsyncDisposableStack();
let site: StealthSite;
/** The CDP URLs of a session with stealth and of one without. */
let hidden: string;
let plain: string;

beforeAll(async () => {
  site = all.use(await startStealthSite());
  const service = all.use(await sharedService());
  const account = await service.account();
  const create = async (params: object) => (await account.create({ headless: true, ...params })).json;
  [hidden, plain] = [(await create({ stealth: true })).cdpUrl, (await create({})).cdpUrl];
});
afterAll(() => all.disposeAsync());

describe('with Playwright', () => {
  let browser: Browser;
  let page: Page;

  const openPage = async (on: Browser) => (await on.contexts()[0]?.newPage()) as Page;
  const visit = async (page: Page): Promise<Found> => {
    await page.goto(site.origin);
    expect(await page.evaluate(titleOfTop)).toBe('top');
    await page.getByRole('button', { name: 'Press' }).click();
    await page.locator('input').fill('typed');
    await page.waitForSelector('#later');
    expect(await page.evaluate(typed)).toBe('1,typed');
    return (await page.evaluate('report()')) as Found;
  };

  beforeAll(async () => {
    browser = await chromium.connectOverCDP(hidden);
    page = await openPage(browser);
  });
  afterAll(() => browser.close());

  test('a page finds no client, where it finds one without stealth', async () => {
    const { calls, ...found } = await visit(page);
    expect(found).toEqual({ console: 0, words: [] });
    expect(calls).not.toEqual([]);
    const open = await chromium.connectOverCDP(plain);
    const flagged = await visit(await openPage(open));
    expect(flagged.console).toBeGreaterThan(0);
    expect(flagged.words).not.toEqual([]);
    await open.close();
  });

  test('frames of every kind can be used, and find no client', async () => {
    await page.goto(site.origin);
    const frames = frameNames.map((name) => page.frame(name));
    expect(await Promise.all(frames.map((frame) => frame?.evaluate(wordOf)))).toEqual(frameWords);
    expect(await page.frame('blank')?.evaluate('document.URL')).toBe('about:blank');
    for (const name of ['same', 'cross']) {
      const frame = page.frame(name);
      await frame?.locator('button').click();
      expect(await frame?.locator('button').textContent()).toBe('pressed');
      expect(await frame?.evaluate('found.console')).toBe(0);
    }
  });

  test('contexts follow navigations of all kinds', async () => {
    await page.goto(site.origin);
    await page.locator('a').click();
    expect(await page.locator('#word').textContent()).toBe('next');
    await page.reload();
    expect(await page.evaluate(wordOf)).toBe('next');
    await page.goBack();
    expect(await page.evaluate(titleOfTop)).toBe('top');
    expect(await page.frameLocator('[name=same]').locator('#word').textContent()).toBe('same');
    await page.goto(`${site.otherOrigin}/next`);
    expect(await page.evaluate(wordOf)).toBe('next');
    await page.setContent('<p id="word">written</p>');
    expect(await page.locator('#word').textContent()).toBe('written');
    await page.goto(site.origin);
    for (const src of ['/child?moved', `${site.otherOrigin}/child?away`, '/child?home']) {
      await page.evaluate(`document.querySelector("[name=same]").src = "${src}"`);
      const word = () =>
        page
          .frame('same')
          ?.evaluate(wordOf)
          .catch(() => 'between two documents');
      await expect.poll(word).toBe(src.split('?')[1]);
    }
  });

  test('a popup can be used, and finds no client', async () => {
    await page.goto(site.origin);
    const opened = page.waitForEvent('popup');
    await page.locator('#opener').click();
    const popup = await opened;
    await popup.getByText('popup').waitFor();
    expect(await popup.evaluate('found.console')).toBe(0);
    await popup.close();
  });

  test("a page's first script can call an exposed function", async () => {
    const own = await openPage(browser);
    await own.exposeFunction('ask', (question: string) => `${question}: answered`);
    await own.goto(`${site.origin}/early`);
    expect(await own.evaluate('answer')).toBe('early: answered');
    await own.goto(`${site.otherOrigin}/early`);
    expect(await own.evaluate('answer')).toBe('early: answered');
    await own.goto(site.origin);
    expect(await own.frame('cross')?.evaluate('ask("framed")')).toBe('framed: answered');
    const { calls: _, ...found } = (await own.evaluate('report()')) as Found;
    expect(found).toEqual({ console: 0, words: [] });
    await own.close();
  });

  test('workers can be used, and find no client', async () => {
    const own = await openPage(browser);
    const [worker, service] = await Promise.all([
      own.waitForEvent('worker'),
      own.context().waitForEvent('serviceworker'),
      own.goto(`${site.origin}/workers`),
    ]);
    expect(await worker.evaluate('[location.search, report().console].join()')).toBe('?dedicated,0');
    expect(await service.evaluate('[location.search, report().console].join()')).toBe('?service,0');
    await own.close();
  });

  test('uncaught errors are reported with their message and place', async () => {
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.goto(`${site.origin}/errors`);
    await expect.poll(() => errors.length).toBe(3);
    const texts = errors.map(({ name, message }) => `${name} ${message}`).sort();
    // Playwright gives what is no error no name.
    expect(texts).toEqual([' 5', 'RangeError rejected', 'TypeError thrown']);
    expect(errors.find(({ name }) => name === 'TypeError')?.stack).toContain(`${site.origin}/errors:3:`);
    page.removeAllListeners('pageerror');
  });

  test('whoever listens to the console hears once what is missing, and what is written', async () => {
    const own = await openPage(browser);
    const heard: ConsoleMessage[] = [];
    own.on('console', (message) => heard.push(message));
    for (const word of ['first', 'second']) {
      await own.goto(`${site.origin}/next`);
      await own.evaluate(`console.error("${word}", document)`);
    }
    await expect.poll(() => heard.length).toBe(3);
    expect(heard.map((message) => message.type())).toEqual(['warning', 'error', 'error']);
    expect(heard.slice(1).map((message) => message.text())).toEqual([
      ...['first [object HTMLDocument]', 'second [object HTMLDocument]'],
    ]);
    expect(heard[0]?.text()).toContain('stealth=true');
    await own.close();
  });

  test('a client that connects again finds the pages and their contexts', async () => {
    await page.goto(site.origin);
    const again = await chromium.connectOverCDP(hidden);
    const same = again
      .contexts()[0]
      ?.pages()
      .find((known) => known.url() === page.url()) as Page;
    expect(await same.evaluate(titleOfTop)).toBe('top');
    expect(await same.frame('cross')?.evaluate(wordOf)).toBe('cross');
    await again.close();
    const third = await chromium.connectOverCDP(hidden);
    const still = third
      .contexts()[0]
      ?.pages()
      .find((known) => known.url() === page.url()) as Page;
    await still.locator('a').click();
    expect(await still.locator('#word').textContent()).toBe('next');
    await third.close();
    expect(await page.evaluate(wordOf)).toBe('next');
  });
});

describe('with Puppeteer', () => {
  let browser: PuppeteerBrowser;
  let page: PuppeteerPage;

  const visit = async (page: PuppeteerPage): Promise<Found> => {
    await page.goto(site.origin);
    expect(await page.evaluate(titleOfTop)).toBe('top');
    await page.locator('button').click();
    await page.locator('input').fill('typed');
    await page.waitForSelector('#later');
    expect(await page.evaluate(typed)).toBe('1,typed');
    return (await page.evaluate('report()')) as Found;
  };

  beforeAll(async () => {
    browser = await puppeteer.connect({ browserWSEndpoint: hidden, defaultViewport: null });
    page = await browser.newPage();
  });
  afterAll(() => browser.disconnect());

  test('a page finds no client, where it finds one without stealth', async () => {
    const { calls, ...found } = await visit(page);
    expect(found).toEqual({ console: 0, words: [] });
    expect(calls).not.toEqual([]);
    const open = await puppeteer.connect({ browserWSEndpoint: plain, defaultViewport: null });
    const flagged = await visit(await open.newPage());
    expect(flagged.console).toBeGreaterThan(0);
    expect(flagged.words).not.toEqual([]);
    await open.disconnect();
  });

  test('frames, navigations and popups can be used', async () => {
    await page.goto(site.origin);
    for (const [i, name] of frameNames.entries()) {
      const frame = await page.waitForFrame((one) => one.name() === name);
      await frame.waitForSelector('#word');
      expect(await frame.evaluate(wordOf)).toBe(frameWords[i]);
    }
    await Promise.all([page.waitForNavigation(), page.click('a')]);
    expect(await page.$eval('#word', (element) => element.textContent)).toBe('next');
    await page.goBack();
    expect(await page.evaluate(titleOfTop)).toBe('top');
    await page.goto(`${site.otherOrigin}/next`);
    expect(await page.waitForSelector('::-p-text(next)')).not.toBeNull();
    await page.goto(site.origin);
    const opened = new Promise<PuppeteerPage | null>((resolve) => page.once('popup', resolve));
    await page.click('#opener');
    const popup = await opened;
    await popup?.waitForSelector('#word');
    expect(await popup?.evaluate('found.console')).toBe(0);
    await popup?.close();
  });

  test("a page's first script can call an exposed function", async () => {
    const own = await browser.newPage();
    await own.exposeFunction('ask', (question: string) => `${question}: answered`);
    await own.goto(`${site.origin}/early`);
    expect(await own.evaluate('answer')).toBe('early: answered');
    await own.goto(`${site.otherOrigin}/early`);
    expect(await own.evaluate('answer')).toBe('early: answered');
    await own.goto(site.origin);
    await own.waitForSelector('aria/Press');
    const { calls: _, ...found } = (await own.evaluate('report()')) as Found;
    expect(found).toEqual({ console: 0, words: [] });
    await own.close();
  });

  test('workers can be used, and errors are reported', async () => {
    const own = await browser.newPage();
    const errors: unknown[] = [];
    own.on('pageerror', (error) => errors.push(error));
    const service = browser.waitForTarget((target) => target.type() === 'service_worker');
    // At once: Puppeteer evaluates in a worker only if it hears that its script was loaded.
    const shared = browser
      .waitForTarget((target) => target.type() === 'shared_worker')
      .then((target) => target.worker());
    await own.goto(`${site.origin}/workers`);
    await expect.poll(() => own.workers().length).toBe(1);
    const [worker] = own.workers();
    expect(await worker?.evaluate('[location.search, report().console].join()')).toBe('?dedicated,0');
    const serviceWorker = await (await service).worker();
    expect(await serviceWorker?.evaluate('[location.search, report().console].join()')).toBe('?service,0');
    expect(await (await shared)?.evaluate('[location.search, report().console].join()')).toBe('?shared,0');
    await own.goto(`${site.origin}/errors`);
    await expect.poll(() => errors.length).toBe(3);
    expect(
      errors
        .map((error) => (error instanceof Error ? error.message : error))
        .map(String)
        .sort(),
    ).toEqual([...['5', 'rejected', 'thrown']]);
    await own.close();
  });
});

describe('with clients of other kinds', () => {
  test('two clients share a page: each has contexts that work, after navigations of either', async () => {
    const first = await puppeteer.connect({ browserWSEndpoint: hidden, defaultViewport: null });
    const page = await first.newPage();
    await page.goto(`${site.origin}/next?shared`);
    const second = await chromium.connectOverCDP(hidden);
    const same = second
      .contexts()[0]
      ?.pages()
      .find((known) => known.url() === page.url()) as Page;
    for (const path of ['/', '/next', '/child?again']) {
      await Promise.all([page.goto(site.origin + path), same.waitForURL(site.origin + path)]);
      const [a, b] = await Promise.all([page.evaluate('document.title'), same.evaluate('document.title')]);
      expect([a, b]).toEqual([a, a]);
    }
    await same.goto(site.origin);
    expect(await page.waitForSelector('#later')).not.toBeNull();
    expect(await page.evaluate('found.console')).toBe(0);
    await second.close();
    await page.close();
    await first.disconnect();
  });

  test('a bare client hears of contexts in the order in which Chromium tells of them', async () => {
    using client = await BareClient.connect(hidden);
    const { targetId, page } = await client.openPage(`${site.origin}/next`);
    await client.send('Runtime.enable', {}, page);
    const events = () =>
      client.events.filter(({ sessionId, method }) => sessionId === page && method?.startsWith('Runtime.'));
    expect(events().map(({ method }) => method)).toEqual(['Runtime.executionContextCreated']);
    const { context } = events()[0]?.params ?? {};
    expect(context).toMatchObject({
      name: '',
      origin: site.origin,
      auxData: { isDefault: true, type: 'default' },
    });
    const byUniqueId = { expression: 'document.title', uniqueContextId: context.uniqueId };
    expect((await client.send('Runtime.evaluate', byUniqueId, page)).result.value).toBe('next');
    await client.send('Page.navigate', { url: `${site.origin}/child?bare` }, page);
    const next = await client.event(
      ({ method, sessionId, params }) =>
        method === 'Runtime.executionContextCreated' &&
        sessionId === page &&
        params.context.id !== context.id,
    );
    expect(
      events()
        .map(({ method }) => method)
        .slice(1, 3),
    ).toEqual([...['Runtime.executionContextsCleared', 'Runtime.executionContextCreated']]);
    const inNext = { expression: 'document.title', contextId: next.context.id };
    expect((await client.send('Runtime.evaluate', inNext, page)).result.value).toBe('child');
    await expect(client.send('Target.sendMessageToTarget', { message: '{}' })).rejects.toThrow(/flat/);
    await client.send('Target.closeTarget', { targetId });
  });

  test("a client of one page's own endpoint is hidden too, and gets no events that it did not ask for", async () => {
    using client = await BareClient.connect(hidden);
    const { targetId } = await client.openPage(`${site.origin}/next`);
    using page = await BareClient.connect(`${hidden}/page/${targetId}`);
    await page.send('Runtime.enable');
    const { context } = await page.event(({ method }) => method === 'Runtime.executionContextCreated');
    await page.send('Page.navigate', { url: site.origin });
    await page.event(
      ({ method, params }) =>
        method === 'Runtime.executionContextCreated' && params.context.id !== context.id,
    );
    const answer = await page.send('Runtime.evaluate', { expression: 'found.console' });
    expect(answer.result.value).toBe(0);
    expect(page.events.filter(({ method }) => method?.startsWith('Page.'))).toEqual([]);
    await client.send('Target.closeTarget', { targetId });
  });
});
