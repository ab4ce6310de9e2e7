import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchLeaks } from '../../../../tests/fixtures/leaks.ts';
import type { Browser } from '../chromium/browser.ts';
import { readHostConfig } from '../config.ts';
import type { Display } from '../display/display-socket.ts';
import { resizeDisplay } from '../display/resize.ts';
import { prepareBrowser } from '../pool/prepared-browser.ts';
import { UserIds } from '../pool/user-ids.ts';
import { Sandboxes } from '../sandbox/sandboxes.ts';
import { createTestSwitchboard } from '../testing/test-switchboard.ts';
import { fillScreen } from './fill-screen.ts';
import { usualStart } from './plan-start.ts';

watchLeaks({ wholeFile: true });

const all = new AsyncDisposableStack();
const never = new AbortController().signal;
let browser: Browser;
let display: Display;

beforeAll(async () => {
  const config = readHostConfig({});
  const sandboxes = new Sandboxes(config, pino({ level: 'silent' }));
  await sandboxes.prepare();
  all.defer(() => sandboxes.close());
  const userIds = new UserIds(process.getuid?.() === 0 ? config.uidBase : undefined);
  const start = usualStart(false, '156.0.0.0');
  const switchboard = createTestSwitchboard();
  all.defer(() => switchboard.close());
  const options = { ...config, sandboxes, switchboard, userIds };
  const prepared = all.use(await prepareBrowser(start, options, never));
  browser = prepared.browser;
  display = browser.display as Display;
});
afterAll(() => all.disposeAsync());

/** As a page sees it: the screen, what its bars leave of it, and the window. */
async function sizes(): Promise<number[][]> {
  const { controller } = browser;
  const { targetInfos } = await controller.call('Target.getTargets', {});
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? '';
  const { sessionId } = await controller.call('Target.attachToTarget', { targetId, flatten: true });
  const expression = `[[0, 0, screen.width, screen.height],
    [screen.availLeft, screen.availTop, screen.availWidth, screen.availHeight],
    [screenX, screenY, outerWidth, outerHeight]]`;
  const params = { expression, returnByValue: true };
  controller.sessions.add(sessionId);
  const { result } = await controller.call('Runtime.evaluate', params, { cdpSessionId: sessionId });
  await controller.call('Target.detachFromTarget', { sessionId });
  return result.value;
}

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
    await fillScreen(browser, { width, height }, area, never);
    const free = [0, top, width, height - top - bottom];
    await expect.poll(sizes).toEqual([[0, 0, width, height], free, free]);
  },
);

test('a size that no display can have is refused, and an abort is heard', async () => {
  await expect(resizeDisplay(display, { width: 0, height: 0 }, never)).rejects.toThrow('not resized');
  await expect(resizeDisplay(display, { width: 800, height: 600 }, AbortSignal.abort())).rejects.toThrow();
});
