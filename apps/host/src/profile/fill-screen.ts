import type { Browser } from '../chromium/browser.ts';
import { resizeDisplay, type ScreenSize } from '../display/resize.ts';
import { type Area, setWorkArea } from '../display/work-area.ts';

/**
 * Resizes the screen of a running headful browser, and its window to fill what the system's bars leave of it. The
 * window goes first: Chromium makes a window one pixel smaller when it is given the size of the screen, so that a window
 * manager does not take it for full-screen. It does not change one that the screen comes to match.
 */
export async function fillScreen(
  browser: Browser,
  size: ScreenSize,
  area: Area,
  signal: AbortSignal,
): Promise<void> {
  const { controller, display } = browser;
  if (!display) return;
  const isSet = browser.connectX(signal).then((socket) => setWorkArea(socket, area, signal));
  isSet.catch(() => {}); // Awaited below, unless something else fails first.
  const { targetInfos } = await controller.call('Target.getTargets', {}, { signal });
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? '';
  const { windowId, bounds } = await controller.call('Browser.getWindowForTarget', { targetId }, { signal });
  if (bounds.width !== area.width || bounds.height !== area.height || bounds.top !== area.top) {
    await controller.call('Browser.setWindowBounds', { windowId, bounds: area }, { signal });
  }
  await isSet;
  await resizeDisplay(display, size, signal);
}
