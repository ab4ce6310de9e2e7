import type { Controller, TargetInfo } from '../chromium/controller.ts';
import type { Display } from './display-socket.ts';
import { resizeDisplay, type ScreenSize } from './resize.ts';

interface Filled {
  display: Display;
  controller: Controller;
}

interface WindowOfTarget {
  windowId: number;
  bounds: ScreenSize;
}

/**
 * Gives a running headful browser a screen of this size, and its window all of it. The window goes first: Chromium
 * makes a window that is as large as the screen one pixel smaller, lest a window manager take it for full-screen,
 * but leaves one alone that the screen comes to fit.
 */
export async function fillScreen(
  { display, controller }: Filled,
  size: ScreenSize,
  signal: AbortSignal,
): Promise<void> {
  const { targetInfos } = await controller.call<{ targetInfos: TargetInfo[] }>('Target.getTargets');
  const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId;
  const { windowId, bounds } = await controller.call<WindowOfTarget>('Browser.getWindowForTarget', {
    targetId,
  });
  if (bounds.width !== size.width || bounds.height !== size.height) {
    await controller.call('Browser.setWindowBounds', { windowId, bounds: { left: 0, top: 0, ...size } });
  }
  await resizeDisplay(display, size, signal);
}
