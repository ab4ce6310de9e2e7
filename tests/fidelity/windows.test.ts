// @module-tag slow

import { chromium } from 'playwright-core';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { describeEach, testEach } from '../fixtures/suite/matrix.ts';
import { SideBySide, withCommands, withPuppeteer } from './side-by-side.ts';

watchLeaks({ wholeFile: true });

let pair: SideBySide;

beforeAll(async () => {
  pair = await SideBySide.start(
    {
      '/': ['text/html', '<!doctype html><title>first</title>'],
      '/second': ['text/html', '<!doctype html><title>second</title>'],
    },
    { TURNPIKE_HOST_WARM_HEADLESS: '1' },
  );
});
afterAll(() => pair[Symbol.asyncDispose]());

const idOf = (page: Page): string => (page.target() as unknown as { _targetId: string })._targetId;

async function boundsOf(browser: Browser, page: Page) {
  const cdp = await browser.target().createCDPSession();
  const { bounds, windowId } = await cdp.send('Browser.getWindowForTarget', { targetId: idOf(page) });
  await cdp.detach();
  return { bounds, windowId };
}

const ownSize = '[screenX, screenY, outerWidth, outerHeight]';

describeEach({ quick: ['false'], slow: ['true'] })('in a window (headless: %s),', (headless) => {
  test('the bounds that a client asks for are obeyed at once', async () => {
    const { session, direct } = await pair.compare(
      withPuppeteer(async (browser) => {
        const [page] = (await browser.pages()) as [Page];
        const { windowId } = await boundsOf(browser, page);
        const cdp = await page.createCDPSession();
        const asked = { left: 20, top: 30, width: 700, height: 500 };
        await cdp.send('Browser.setWindowBounds', { windowId, bounds: asked });
        await expect.poll(() => page.evaluate(ownSize)).toEqual([20, 30, 700, 500]);
        return (await boundsOf(browser, page)).bounds;
      }),
      { headless, os: 'macos' },
    );
    expect(session).toEqual(direct);
  });

  test('a new one has the bounds that are asked for, and its state', async () => {
    const { session, direct } = await pair.compare(
      (url) =>
        withCommands(url, async (send) => {
          const asked = { left: 15, top: 25, width: 640, height: 480 };
          const { targetId } = await send('Target.createTarget', {
            url: 'about:blank',
            newWindow: true,
            ...asked,
          });
          const read = async () => (await send('Browser.getWindowForTarget', { targetId })).bounds;
          await expect.poll(read).toEqual({ ...asked, windowState: 'normal' });
          const bounds = await read();
          await send('Target.closeTarget', { targetId });
          return bounds;
        }),
      { headless, os: 'macos' },
    );
    expect(session).toEqual(direct);
  });

  testEach({ quick: [''], slow: [',noopener'] })(
    'a popup has the size that its page gives it%s',
    async (more) => {
      const { session, direct } = await pair.compare(
        withPuppeteer(async (browser) => {
          const page = await browser.newPage();
          await page.goto(`${pair.origin}/`);
          const opened = browser.waitForTarget((target) => target.url().endsWith('/second'));
          const features = `left=30,top=40,width=500,height=300${more}`;
          await page.evaluate(`void window.open('/second', '', '${features}')`);
          const popup = (await (await opened).page()) as Page;
          await expect.poll(() => popup.evaluate('[innerWidth, outerWidth]')).toEqual([500, 500]);
          const size = [await popup.evaluate(ownSize), (await boundsOf(browser, popup)).bounds];
          await popup.close();
          await page.close();
          return size;
        }),
        { headless, os: 'macos' },
      );
      expect(session).toEqual(direct);
    },
  );
});

test('windows of other contexts fill the device’s screen as the first does', async () => {
  await using session = await pair.session({ os: 'macos' });
  await withPuppeteer(async (browser) => {
    const [first] = (await browser.pages()) as [Page];
    const fills =
      '[screenX, screenY - screen.availTop, outerWidth - screen.availWidth, outerHeight - screen.availHeight]';
    await expect.poll(() => first.evaluate(fills)).toEqual([0, 0, 0, 0]);
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await expect.poll(() => page.evaluate(fills)).toEqual([0, 0, 0, 0]);
    await context.close();
  })(session.url);
});

testEach<object>({ quick: [{}], slow: [{ newWindow: true }, { background: true }] })(
  'a tab that is opened at an address has only that in its history (%o)',
  async (more) => {
    const { session, direct } = await pair.compare((url) =>
      withCommands(url, async (send) => {
        const seen: unknown[] = [];
        await withPuppeteer(async (browser) => {
          // Several at a time, with one that stays blank among them.
          const [one, , other] = await Promise.all([
            send('Target.createTarget', { url: `${pair.origin}/`, ...more }),
            send('Target.createTarget', { url: 'about:blank', ...more }),
            send('Target.createTarget', { url: `${pair.origin}/second`, ...more }),
          ]);
          for (const { targetId } of [one, other]) {
            const target = await browser.waitForTarget(
              (known) => idOf({ target: () => known } as Page) === targetId,
            );
            const page = (await target.page()) as Page;
            await page.waitForFunction("document.title !== '' && document.readyState === 'complete'");
            seen.push([await page.evaluate('history.length'), new URL(page.url()).pathname]);
          }
          for (const page of (await browser.pages()).slice(1)) await page.close();
        })(url);
        return seen;
      }),
    );
    expect(session).toEqual(direct);
  },
);

testEach<Record<string, string>>({
  quick: [{ headless: 'false' }],
  slow: [{}, { browser_language: 'de-AT,fr' }],
})('the first tab is there, blank, in front and alone (%o)', async (params) => {
  const look = async (url: string) => {
    const browser = await chromium.connectOverCDP(url);
    const pages = browser.contexts()[0]?.pages() ?? [];
    const seen = await Promise.all(
      pages.map((page) =>
        page.evaluate('[location.href, history.length, document.visibilityState, document.referrer]'),
      ),
    );
    await browser.close();
    return { contexts: browser.contexts().length, seen };
  };
  const { session, direct } = await pair.compare(look, params);
  expect(session).toEqual(direct);
  await using other = await pair.session(params);
  await withPuppeteer(async (browser) => {
    const [first] = (await browser.pages()) as [Page];
    await browser.newPage();
    await browser.newPage();
    expect((await browser.pages())[0]).toBe(first);
  })(other.url);
});
