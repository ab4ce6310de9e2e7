import type { Browser } from '../chromium/browser.ts';
import { resizeDisplay, type ScreenSize } from '../display/resize.ts';
import { type Area, setWorkArea } from '../display/work-area.ts';

/**
 * Resizes the screen of a running headful browser, and the window of a page to fill what the system's bars leave of it.
 * The window goes first: Chromium makes a window one pixel smaller when it is given the size of the screen, so that a
 * window manager does not take it for full-screen. It does not change one that the screen comes to match.
 */
export async function fillScreen(
  browser: Browser,
  targetId: string,
  { size, area }: { size: ScreenSize; area: Area },
  signal: AbortSignal,
): Promise<void> {
  const { display } = browser;
  if (!display) return;
  const areaSet = browser.connectX(signal).then((socket) => setWorkArea(socket, area, signal));
  const windowPlaced = Promise.all([areaSet, setWindowBounds(browser, targetId, area, signal)]);
  await Promise.all([windowPlaced, resizeDisplay(display, size, { after: windowPlaced, signal })]);
}

async function setWindowBounds(
  { controller }: Browser,
  targetId: string,
  area: Area,
  signal: AbortSignal,
): Promise<void> {
  const { windowId, bounds } = await controller.call('Browser.getWindowForTarget', { targetId }, { signal });
  if (bounds.width === area.width && bounds.height === area.height && bounds.top === area.top) return;
  await controller.call('Browser.setWindowBounds', { windowId, bounds: area }, { signal });
}
