import type { Controller } from '../chromium/controller.ts';
import type { Display } from '../display/display-socket.ts';
import { resizeDisplay, type ScreenSize } from '../display/resize.ts';

/**
 * Resizes the screen of a running headful browser, and its window to fill it. The window goes first: Chromium makes a
 * window one pixel smaller when it is given the size of the screen, so that a window manager does not take it for
 * full-screen. It does not change one that the screen comes to match.
 */
export async function fillScreen(
  { display, controller }: { display: Display; controller: Controller },
  size: ScreenSize,
  signal: AbortSignal,
): Promise<void> {
  const { targetInfos } = await controller.call('Target.getTargets', {}, { signal });
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? '';
  const { windowId, bounds } = await controller.call('Browser.getWindowForTarget', { targetId }, { signal });
  if (bounds.width !== size.width || bounds.height !== size.height) {
    const moved = { windowId, bounds: { left: 0, top: 0, ...size } };
    await controller.call('Browser.setWindowBounds', moved, { signal });
  }
  await resizeDisplay(display, size, signal);
}
