// @module-tag slow

import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { watchLeaks } from '../fixtures/suite/leaks.ts';
import { type Opened, SideBySide, withPuppeteer } from './side-by-side.ts';

watchLeaks({ wholeFile: true });

/** Edges that no fractional scale leaves sharp, and text. */
const drawing = `<!doctype html><style>
  body { margin: 0; font: 13px Arial }
  i { position: absolute; background: #135; width: 1px; height: 100% }
  p { position: relative; margin: 7px; border: 1px solid red; width: 50% }
</style>${Array.from({ length: 40 }, (_, index) => `<i style="left: ${index * 7}px"></i>`).join('')}
<p>The quick brown fox jumps over the lazy dog.<p>And back again, 1234567890.`;

let pair: SideBySide;

beforeAll(async () => {
  pair = await SideBySide.start({ '/': ['text/html', drawing] });
});
afterAll(() => pair[Symbol.asyncDispose]());

const isFractional = ({ params }: Opened): boolean => params.profile.screen.pixelRatio % 1 !== 0;

/** Devices are drawn by lot: sessions are opened until one has the screen that is wanted. */
async function sessionWhere(fits: (session: Opened) => boolean): Promise<Opened> {
  for (;;) {
    const session = await pair.session({ os: 'windows' });
    if (fits(session)) return session;
    await session[Symbol.asyncDispose]();
  }
}

const seen = `[devicePixelRatio, screen.width, screen.height, screen.availHeight, innerWidth, innerHeight,
  outerWidth, outerHeight, matchMedia('(resolution: ' + devicePixelRatio + 'dppx)').matches].join()`;

const shoot = withPuppeteer(async (browser) => {
  const page = await browser.newPage();
  const shots: Record<string, string> = {};
  for (const deviceScaleFactor of [0, 1, 2]) {
    await page.setViewport({ width: 801, height: 603, deviceScaleFactor });
    await page.goto(`${pair.origin}/`);
    const [plain, full] = [await page.screenshot(), await page.screenshot({ fullPage: true })];
    const clip = await page.screenshot({ clip: { x: 3, y: 5, width: 211, height: 107 } });
    for (const [name, bytes] of Object.entries({ plain, full, clip })) {
      shots[`${name} at ${deviceScaleFactor}`] = Buffer.from(bytes).toString('base64');
    }
  }
  await page.close();
  return shots;
});

const shootWithPlaywright = async (url: string) => {
  const browser = await chromium.connectOverCDP(url);
  const context = await browser.newContext({ viewport: { width: 801, height: 603 } });
  const page = await context.newPage();
  await page.goto(`${pair.origin}/`);
  const shot = (await page.screenshot()).toString('base64');
  await context.close();
  await browser.close();
  return shot;
};

describe('on a device with a fractional ratio of pixels', () => {
  test('a client that sets its viewport gets what a direct Chromium draws, to the pixel', async () => {
    await using session = await sessionWhere(isFractional);
    const { direct } = await pair.compare(async (url) => [await shoot(url), await shootWithPlaywright(url)]);
    expect([await shoot(session.url), await shootWithPlaywright(session.url)]).toEqual(direct);
  });

  test('a page is the device before and after a client sets a viewport, here or beside it', async () => {
    await using session = await sessionWhere(isFractional);
    await withPuppeteer(async (browser) => {
      const page = await browser.newPage();
      await page.goto(`${pair.origin}/`);
      const before = await page.evaluate(seen);
      const ratio: number = session.params.profile.screen.pixelRatio;
      expect(before).toMatch(new RegExp(`^${ratio},.*,true$`));
      const beside = await browser.newPage();
      for (const end of [() => beside.setViewport(null), () => beside.close()]) {
        await beside.setViewport({ width: 800, height: 600 });
        expect(await beside.evaluate('[devicePixelRatio, innerWidth]')).toEqual([1, 800]);
        await expect.poll(() => page.evaluate('devicePixelRatio')).toBe(1);
        await end();
        await page.bringToFront();
        await expect.poll(() => page.evaluate(seen)).toBe(before);
      }
    })(session.url);
  });
});
