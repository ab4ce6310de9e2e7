import { createReadStream } from 'node:fs';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { WebServer } from '../fixtures/network/web-server.ts';

/** What a scenario works with. The page is new, and in the session's default context. */
export interface Scene {
  browser: Browser;
  context: BrowserContext;
  page: Page;
  web: WebServer;
  /** A directory of the client's own machine. */
  scratch: string;
}

/** In a page: downloads these bytes as a file of that name. */
const download = (name: string, content: string) => `Object.assign(document.createElement('a'), {
  href: URL.createObjectURL(new Blob([${JSON.stringify(content)}])), download: ${JSON.stringify(name)} }).click()`;

const read = (selector: string) => `document.querySelector(${JSON.stringify(selector)}).textContent`;

/** What users do with Playwright, for every version of it and every way to connect. */
export const scenarios: Record<string, (scene: Scene) => Promise<void>> = {
  async navigates({ page, web }) {
    const answer = await page.goto(web.origin);
    expect(answer?.status()).toBe(200);
    await page.goto(`${web.origin}/echo`);
    await page.goBack();
    expect(await page.title()).toBe('Turnpike test page');
    await page.reload();
    expect(new URL(page.url()).origin).toBe(web.origin);
  },

  async 'clicks, types and reads'({ page }) {
    await page.setContent(`<button onclick="this.textContent = 'pressed'">Press</button>
      <label>Name <input></label><select><option>a<option>b</select>`);
    await page.getByRole('button').click();
    await page.getByLabel('Name').pressSequentially('Ada');
    await page.locator('select').selectOption('b');
    await page.keyboard.press('End');
    expect(await page.getByRole('button').textContent()).toBe('pressed');
    expect(await page.getByLabel('Name').inputValue()).toBe('Ada');
    expect(await page.locator('select').inputValue()).toBe('b');
  },

  async 'works in frames'({ page }) {
    await page.setContent(
      `<iframe srcdoc="<button onclick=&quot;this.textContent='inner'&quot;>x</button>">`,
    );
    await page.frameLocator('iframe').locator('button').click();
    expect(await page.frames()[1]?.evaluate(read('button'))).toBe('inner');
  },

  async 'sees popups'({ page, web }) {
    await page.goto(web.origin);
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(`void window.open(${JSON.stringify(`${web.origin}/`)})`),
    ]);
    await popup.waitForLoadState();
    expect(await popup.title()).toBe('Turnpike test page');
    await popup.close();
  },

  async 'answers dialogs'({ page }) {
    page.once('dialog', (dialog) => void dialog.accept('from the client'));
    expect(await page.evaluate(`prompt('Who?')`)).toBe('from the client');
  },

  async 'uploads a small file'({ page, scratch }) {
    await writeFile(`${scratch}/letter.txt`, 'dear all');
    await page.setContent('<input type=file>');
    await page.setInputFiles('input', `${scratch}/letter.txt`);
    expect(await page.evaluate(`document.querySelector('input').files[0].text()`)).toBe('dear all');
  },

  async 'uploads 80 MB'({ page, scratch }) {
    await writeFile(`${scratch}/large.bin`, 'begin');
    await truncate(`${scratch}/large.bin`, 80_000_000);
    await page.setContent('<input type=file>');
    await page.setInputFiles('input', `${scratch}/large.bin`);
    const file = `document.querySelector('input').files[0]`;
    expect(await page.evaluate(`${file}.size`)).toBe(80_000_000);
    expect(await page.evaluate(`${file}.slice(0, 5).text()`)).toBe('begin');
  },

  async 'saves downloads, also two of one name'({ page, web, scratch }) {
    await page.goto(web.origin);
    for (const content of ['the first', 'the second']) {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.evaluate(download('r.txt', content)),
      ]);
      expect(file.suggestedFilename()).toBe('r.txt');
      await file.saveAs(`${scratch}/saved.txt`);
      expect(await readFile(`${scratch}/saved.txt`, 'utf8')).toBe(content);
      expect(await text(await file.createReadStream())).toBe(content);
      expect(await file.failure()).toBeNull();
    }
  },

  async 'takes screenshots and prints'({ page }) {
    await page.setContent('<h1>Picture</h1>');
    const picture = await page.screenshot({ fullPage: true });
    expect(picture.subarray(1, 4).toString()).toBe('PNG');
    expect((await page.locator('h1').screenshot({ type: 'jpeg' })).length).toBeGreaterThan(100);
    expect((await page.pdf()).subarray(0, 5).toString()).toBe('%PDF-');
  },

  async 'intercepts requests'({ page, web }) {
    await page.route('**/made-up', (route) => route.fulfill({ body: 'from the client' }));
    await page.route('**/echo', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-added': 'yes' } }),
    );
    await page.goto(`${web.origin}/made-up`);
    expect(await page.evaluate(read('body'))).toBe('from the client');
    await page.goto(`${web.origin}/echo`);
    expect(web.requests.at(-1)?.headers['x-added']).toBe('yes');
    await page.unrouteAll();
  },

  async 'calls functions of the client'({ page }) {
    await page.exposeFunction('double', (value: number) => value * 2);
    expect(await page.evaluate('double(21)')).toBe(42);
  },

  async 'hears the console and errors'({ page }) {
    const [message] = await Promise.all([
      page.waitForEvent('console'),
      page.evaluate(`console.log('a line')`),
    ]);
    expect(message.text()).toBe('a line');
    const [error] = await Promise.all([
      page.waitForEvent('pageerror'),
      page.evaluate(`setTimeout(() => { throw new Error('a fault'); })`),
    ]);
    expect(error.message).toBe('a fault');
  },

  async 'records a trace'({ context, page, web, scratch }) {
    await context.tracing.start({ screenshots: true, snapshots: true });
    await page.goto(web.origin);
    await context.tracing.stop({ path: `${scratch}/trace.zip` });
    expect((await readFile(`${scratch}/trace.zip`)).subarray(0, 2).toString()).toBe('PK');
  },

  async 'shares cookies with its own requests'({ context, page, web }) {
    await context.addCookies([{ name: 'flavour', value: 'oat', url: web.origin }]);
    await page.goto(`${web.origin}/echo`);
    expect(web.requests.at(-1)?.headers.cookie).toContain('flavour=oat');
    const answer = await context.request.post(`${web.origin}/echo`, { data: { a: 1 } });
    expect(await answer.json()).toMatchObject({ method: 'POST' });
    expect(web.requests.at(-1)?.headers.cookie).toContain('flavour=oat');
    expect(web.requests.at(-1)?.headers['user-agent']).toBe(await page.evaluate('navigator.userAgent'));
    await context.clearCookies({ name: 'flavour' });
  },

  async 'opens contexts that share nothing, with options of their own'({ browser, page, web, scratch }) {
    const har = `${scratch}/requests.har`;
    const other = await browser.newContext({
      viewport: { width: 700, height: 500 },
      locale: 'fr-FR',
      recordHar: { path: har },
    });
    await other.addCookies([{ name: 'own', value: '1', url: web.origin }]);
    const inOther = await other.newPage();
    await inOther.goto(`${web.origin}/echo`);
    expect(await inOther.evaluate('[innerWidth, innerHeight, navigator.language].join()')).toBe(
      '700,500,fr-FR',
    );
    // The device profile is the session's.
    for (const claim of ['navigator.userAgent', 'navigator.platform', 'navigator.hardwareConcurrency'])
      expect(await inOther.evaluate(claim)).toBe(await page.evaluate(claim));
    await page.goto(`${web.origin}/echo`);
    expect(web.requests.at(-1)?.headers.cookie ?? '').not.toContain('own=1');
    await other.close();
    const entries = JSON.parse(await readFile(har, 'utf8')).log.entries as { request: { url: string } }[];
    expect(entries.map(({ request }) => request.url)).toContain(`${web.origin}/echo`);
  },

  async 'records a video'({ browser, web, scratch }) {
    const recorded = await browser.newContext({ recordVideo: { dir: `${scratch}/videos` } });
    const page = await recorded.newPage();
    await page.goto(web.origin);
    await page.screenshot(); // It waits for a frame.
    await recorded.close();
    await page.video()?.saveAs(`${scratch}/page.webm`);
    expect((await stat(`${scratch}/page.webm`)).size).toBeGreaterThan(0);
    const start = await text(
      createReadStream(`${scratch}/page.webm`, { start: 0, end: 63, encoding: 'latin1' }),
    );
    expect(start).toContain('webm');
  },

  async 'speaks CDP'({ context, page }) {
    const cdp = await context.newCDPSession(page);
    const { result } = await cdp.send('Runtime.evaluate', { expression: '6 * 7' });
    expect(result.value).toBe(42);
    await cdp.detach();
  },
};
