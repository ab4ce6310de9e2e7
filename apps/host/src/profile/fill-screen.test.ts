import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/suite/leaks.ts';
import type { Display } from '../display/display-socket.ts';
import { resizeDisplay } from '../display/resize.ts';
import { startTestBrowser, type TestBrowser } from '../testing/test-browser.ts';
import { fillScreen } from './fill-screen.ts';

watchLeaks({ wholeFile: true });

const never = new AbortController().signal;
let headful: TestBrowser;

beforeAll(async () => {
  headful = await startTestBrowser({ headless: false });
});
afterAll(() => headful[Symbol.asyncDispose]());

/** As a page sees it: the screen, what its bars leave of it, and the window. */
const sizes = () =>
  headful.run(`[[0, 0, screen.width, screen.height],
    [screen.availLeft, screen.availTop, screen.availWidth, screen.availHeight],
    [screenX, screenY, outerWidth, outerHeight]]`);

test.each([
  [1920, 1080, 0, 40],
  [1366, 768, 0, 48],
  [2560, 1440, 30, 76],
  [1280, 720, 25, 0],
  [2560, 1440, 0, 0],
  [2560, 1440, 0, 0],
  [1920, 1080, 0, 0],
])(
  'a running browser gets a screen of %i×%i with bars of %i and %i, and its window fills the rest to the pixel',
  async (width, height, top, bottom) => {
    const area = { left: 0, top, width, height: height - top - bottom };
    await fillScreen(headful.browser, headful.targetId, { size: { width, height }, area }, never);
    const free = [0, top, width, height - top - bottom];
    await expect.poll(sizes).toEqual([[0, 0, width, height], free, free]);
  },
);

test('a size that no display can have is refused, and an abort is heard', async () => {
  const display = headful.browser.display as Display;
  const none = { width: 0, height: 0 };
  await expect(resizeDisplay(display, none, { signal: never })).rejects.toThrow('not resized');
  const size = { width: 800, height: 600 };
  await expect(resizeDisplay(display, size, { signal: AbortSignal.abort() })).rejects.toThrow();
});

test('without the window that is to fill it, a screen is not resized', async () => {
  const [screen] = await sizes();
  const area = { left: 0, top: 0, width: 800, height: 600 };
  await expect(fillScreen(headful.browser, 'no-such-page', { size: area, area }, never)).rejects.toThrow();
  expect((await sizes())[0]).toEqual(screen);
});
