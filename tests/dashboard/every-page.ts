import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFindings } from '../fixtures/browsers/axe.ts';
import { type BrowserHarness, soon } from './browser-harness.ts';

const accountPages = [
  '/',
  '/sessions',
  '/sessions/:id',
  '/new-session',
  '/read-page',
  '/crawls',
  '/crawls/:id',
  '/usage',
  '/traffic',
  '/bandwidth',
  '/events',
  '/proxies',
  '/proxies/:id',
  '/profiles',
  '/extensions',
  '/webhooks',
  '/webhooks/:id',
  '/keys',
  '/nowhere',
];
const operatorPages = [
  '/',
  '/accounts',
  '/accounts/:id',
  '/sessions',
  '/sessions/:id',
  '/hosts',
  '/products',
  '/audit',
  '/tokens',
  '/operators',
];

/** What holds for all of them. The flows before have filled them. */
export function everyPage(harnessOf: () => BrowserHarness): void {
  test('axe finds nothing before one is in, light and dark', { tags: 'slow' }, async () => {
    const page = await harnessOf().visitor();
    await page.goto('/sign-in');
    await expectAccessible(page);
    await page.goto('/welcome');
    await expectAccessible(page);
    await page.goto('/forgot-password');
    await page.getByLabel('E-mail address').waitFor();
    await expectAccessible(page);
    await page.context().close();
  });

  test.each([
    ['account', 'demo@example.com', accountPages],
    ['operator', 'operator@example.com', operatorPages],
  ] as const)(
    'axe finds nothing on the pages of an %s, light and dark, and they fit a phone',
    { tags: 'slow' },
    async (_role, email, paths) => {
      const harness = harnessOf();
      const page = await harness.visitor();
      await harness.signIn(page, email);
      for (const path of paths) {
        await page.goto(path.replace('/:id', ''));
        await ready(page);
        if (path.endsWith('/:id')) {
          await page.getByRole('table').last().getByRole('link').first().click();
          await page
            .getByRole('heading', { level: 1, name: /^Session$|^Webhook$|^Crawl$|^Pool$|@/ })
            .waitFor();
          await ready(page);
        }
        await expectAccessible(page);
        await page.setViewportSize({ width: 360, height: 740 });
        const width = () => page.evaluate('document.documentElement.scrollWidth');
        await soon(width).toBeLessThanOrEqual(360);
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      await page.context().close();
    },
  );

  test('on a phone the pages are reached by the menu', { tags: 'slow' }, async () => {
    const harness = harnessOf();
    const page = await harness.visitor({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await harness.signIn(page, 'demo@example.com');
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await page.context().close();
  });
}

/** Everything that was asked for has come. */
async function ready(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await soon(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
}

async function expectAccessible(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const scheme = () => page.evaluate('document.documentElement.dataset.mantineColorScheme');
    await soon(scheme).toBe(colorScheme);
    const found = await axeFindings(page, colorScheme);
    expect(found, `${page.url()} ${colorScheme}`).toEqual([]);
  }
}
