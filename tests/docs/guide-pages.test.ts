import { chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { BrowserHarness, confirm, password, secret, soon, words } from '../dashboard/browser-harness.ts';
import { axeFindings } from '../fixtures/browsers/axe.ts';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { beforeSlow } from '../fixtures/suite/matrix.ts';

watchLeaks({ wholeFile: true });

let harness: BrowserHarness;
/** A reader who is signed in as the demo account, from the first test that signs in. */
let page: Page;
beforeAll(async () => {
  harness = await BrowserHarness.open();
  page = await reader();
});
afterAll(() => harness?.[Symbol.asyncDispose]());
afterEach(() => {
  expect(harness.takeProblems()).toEqual([]);
});

async function reader(options: Parameters<BrowserHarness['visitor']>[0] = {}): Promise<Page> {
  const visitor = await harness.visitor(options);
  await visitor.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  return visitor;
}

/** The beginning of a key in a sample. */
const shownKey = (where: Page) => where.locator('mark').filter({ hasText: 'tp_live_' }).first();

/** Copies the first sample that has these words, by its button. */
async function copied(where: Page, text: string): Promise<string> {
  const sample = where.locator('.sample').filter({ hasText: text }).first();
  await sample.getByRole('button', { name: 'Copy' }).click();
  await sample.getByRole('button', { name: 'Copied' }).waitFor();
  return String(await where.evaluate('navigator.clipboard.readText()'));
}

/** One after the other: `npm run test:all` has all of them, `npm test` those that need no other. */
describe('a reader', () => {
  test('the search finds a section by its words, by keyboard alone', { tags: 'slow' }, async () => {
    const visitor = await reader();
    await visitor.goto('/docs');
    await visitor.keyboard.press('/');
    await visitor.keyboard.type('sending a create again');
    const first = visitor.locator('#found a').first();
    await first.waitFor();
    expect(await words(first)).toContain('Sessions and billing: Sending a create again');
    await visitor.keyboard.press('ArrowDown');
    await visitor.keyboard.press('Enter');
    await visitor.waitForURL('**/docs/sessions-and-billing#sending-a-create-again');
    await visitor.getByRole('searchbox').fill('regenerate-key');
    await visitor.locator('#found a[href^="/docs/reference#"]').first().click();
    await visitor.getByRole('heading', { level: 1, name: 'Turnpike API' }).waitFor();
    await visitor.getByRole('searchbox').fill('xyzzy');
    await visitor.getByText('No results. Try other words.').waitFor();
    await visitor.context().close();
  });

  test('every sample has a copy button, and has the address of this service', { tags: 'slow' }, async () => {
    const visitor = await reader();
    const { gatewayUrl } = harness.service;
    await visitor.goto('/docs/quick-start');
    const samples = await visitor.locator('.sample').count();
    expect(samples).toBeGreaterThan(3);
    expect(await visitor.getByRole('button', { name: 'Copy' }).count()).toBe(samples);
    const create = await copied(visitor, 'api/browser/create');
    expect(create).toContain(`"${gatewayUrl}/api/browser/create"`);
    expect(create).toContain('$TURNPIKE_API_KEY');
    await visitor.getByRole('link', { name: `${gatewayUrl}/docs` }).waitFor();
    await visitor.goto('/docs/reference#createBrowser');
    expect(await copied(visitor, '/api/browser/create')).toContain(`"${gatewayUrl}/api/browser/create"`);
    await visitor.context().close();
  });

  test(
    'the dashboard leads to the guides, and after signing in one is back at the page to try',
    beforeSlow,
    async () => {
      await harness.welcome(page, harness.link('demo account'));
      const guides = page.waitForEvent('popup');
      await page.getByRole('link', { name: 'Help' }).click();
      await (await guides).getByRole('heading', { level: 1 }).waitFor();
      expect(new URL((await guides).url()).pathname).toBe('/docs');
      await (await guides).close();
      await page.goto('/webhooks');
      const guide = page.getByRole('link', { name: 'Guide: Webhooks' });
      expect(await guide.getAttribute('href')).toBe('/docs/events#webhooks');

      await page.getByRole('button', { name: 'Demo' }).click();
      await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await page.goto('/docs/try');
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('E-mail address').fill('demo@example.com');
      await page.locator('[type=password]').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL('**/docs/try');
      await page.getByRole('button', { name: 'Open session' }).waitFor();
    },
  );

  test(
    "samples take the reader's key and proxy, which stay in the tab and go when one signs out",
    beforeSlow,
    async () => {
      const { demoKey, demoProxyUrl, gatewayUrl } = harness.service;
      await page.goto('/docs/quick-start');
      const use = page.getByRole('button', { name: 'Use my key' });
      await use.click();
      const dialog = page.getByRole('dialog', { name: 'Use my key in samples' });
      await dialog.getByLabel('API key').fill('tp_live_nobody');
      await dialog.getByRole('button', { name: 'Use them' }).click();
      await dialog.getByText('The service does not know this key.').waitFor();
      expect(await axeFindings(page, 'light')).toEqual([]);
      await dialog.getByLabel('API key').fill(demoKey);
      await dialog.getByRole('button', { name: 'Fill in my Turnpike proxy' }).click();
      await soon(() => dialog.getByLabel('Proxy').inputValue()).toContain('@');
      await dialog.getByRole('button', { name: 'Use them' }).click();
      await dialog.waitFor({ state: 'hidden' });

      const exports = await copied(page, 'export TURNPIKE_URL');
      const proxy = /TURNPIKE_PROXY=(.*)$/.exec(exports)?.[1] ?? '';
      expect(exports).toBe(
        `export TURNPIKE_URL=${gatewayUrl}\nexport TURNPIKE_API_KEY=${demoKey}\nexport TURNPIKE_PROXY=${proxy}`,
      );
      expect(new URL(proxy).port).toBe(new URL(demoProxyUrl).port);
      const script = await copied(page, 'connectOverCDP');
      expect(script).toContain(`TURNPIKE_API_KEY: '${demoKey}'`);
      // It is neither shown nor anywhere that a server or another page could see it.
      expect(await page.content()).not.toContain(demoKey);
      expect(page.url()).not.toContain(demoKey);
      expect(harness.service.logs()).not.toContain(demoKey);
      await page.reload();
      await shownKey(page).waitFor();
      expect(await copied(page, 'api/browser/close')).toContain(demoKey);
      const other = await page.context().newPage();
      await other.goto('/docs/quick-start');
      expect(await copied(other, 'api/browser/close')).not.toContain(demoKey);
      await other.close();

      await page.goto('/');
      await page.getByRole('button', { name: 'Demo' }).click();
      await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(demoKey);
    },
  );

  test('Try it opens a session that code and a person can use, and closes it', { tags: 'slow' }, async () => {
    await harness.signIn(page, 'demo@example.com');
    await page.goto('/docs/try');
    const open = page.getByRole('button', { name: 'Open session' });
    await open.click();
    await page.locator('#try-form [role=alert]:not(:empty)').waitFor();
    await page.getByRole('button', { name: 'Fill in my Turnpike proxy' }).click();
    await soon(() => page.locator('#try-proxy').inputValue()).toContain('@');
    await open.click();
    await page.getByRole('heading', { name: 'Your session runs' }).waitFor();

    const code = await copied(page, 'connectOverCDP');
    const remote = await chromium.connectOverCDP(/connectOverCDP\('(.*)'\)/.exec(code)?.[1] ?? '');
    const remotePage = await remote.contexts()[0]?.newPage();
    await remotePage?.goto(`${harness.web.origin}/`);
    expect(await remotePage?.title()).toBe('Turnpike test page');
    await remote.close();
    const view = page.getByRole('link', { name: 'Watch and use it' });
    expect((await fetch((await view.getAttribute('href')) ?? '')).status).toBe(200);
    expect(await axeFindings(page, 'light')).toEqual([]);

    await page.reload();
    const id = await words(page.locator('#try-id:not(:empty)'));
    await page.getByRole('button', { name: 'Close session' }).click();
    await page.getByText(`Session ${id} has ended: CLOSED.`).waitFor();
    await open.waitFor();
  });

  test('a rotated key is in the samples of the guides that one opens from it', { tags: 'slow' }, async () => {
    await page.goto('/keys');
    await confirm(page, 'Rotate the API key');
    const key = await secret(page, 'API key');
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Open the quick start' }).click();
    const guide = await opened;
    await shownKey(guide).waitFor();
    expect(await copied(guide, 'api/browser/close')).toContain(key);
    await guide.close();
  });
});

test('axe finds nothing on the pages, light and dark, and they fit a phone', { tags: 'slow' }, async () => {
  const paths = ['/docs/quick-start', '/docs/try', '/docs', '/docs/limits-and-errors', '/docs/reference'];
  const visitor = await reader({ viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true });
  for (const path of paths) {
    await visitor.goto(path);
    await visitor.getByRole('searchbox').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await visitor.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await axeFindings(visitor, colorScheme), `${path} ${colorScheme}`).toEqual([]);
    }
    expect(await visitor.evaluate('document.documentElement.scrollWidth'), path).toBeLessThanOrEqual(360);
  }
  await visitor.getByRole('button', { name: 'Menu' }).tap();
  await visitor.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Live view' }).tap();
  await visitor.getByRole('heading', { level: 1, name: 'Live view' }).waitFor();
  await visitor.getByRole('button', { name: 'Dark mode' }).tap();
  await soon(() => visitor.evaluate('document.documentElement.dataset.theme')).toBe('light');
  await visitor.context().close();
});
