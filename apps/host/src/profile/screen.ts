import type { Browser } from '../chromium/browser.ts';
import { screen as started } from '../display/display.ts';
import { fillScreen } from '../display/fill-screen.ts';
import { resizeDisplay, type ScreenSize } from '../display/resize.ts';
import type { Device } from './device.ts';
import type { Profile } from './profile.ts';

interface ScreenInfos {
  screenInfos: { id: string }[];
}

const timeoutMs = 3000;

/** Gives the browser the profile's screen, and its window all of it. Later windows of a headless one fill it by themselves. */
export async function setScreen(
  { controller, display }: Browser,
  [targetId, { sessionId }]: [string, { sessionId: string }],
  { os, device }: Profile,
): Promise<void> {
  const { screen, pixelRatio } = device;
  if (display) {
    const signal = AbortSignal.timeout(timeoutMs);
    if (os === 'android') await resizeDisplay(display, inPixels(device), signal);
    else await fillScreen({ display, controller }, { width: screen.width, height: screen.height }, signal);
    return;
  }
  const [{ screenInfos }, { windowId }] = await Promise.all([
    controller.call<ScreenInfos>('Emulation.getScreenInfos', {}, sessionId),
    controller.call<{ windowId: number }>('Browser.getWindowForTarget', { targetId }),
  ]);
  await controller.call(
    'Emulation.updateScreen',
    {
      screenId: screenInfos[0]?.id,
      ...inPixels(device),
      devicePixelRatio: pixelRatio,
      workAreaInsets: {
        ...{ left: 0, right: 0 },
        // A phone's bars lie over its screen: the emulated one, which the page sees, has none beside it.
        top: os === 'android' ? 0 : Math.round(screen.top * pixelRatio),
        bottom: os === 'android' ? 0 : Math.round(screen.bottom * pixelRatio),
      },
    },
    sessionId,
  );
  for (const windowState of ['normal', 'maximized']) {
    controller.call('Browser.setWindowBounds', { windowId, bounds: { windowState } }).catch(() => {});
  }
}

/**
 * On a display nobody places windows: a new one has the size that the browser was started with, whatever the
 * screen is now, and is made to fill it. One that a page or a client has given a size of its own keeps it.
 */
export async function placeWindow(
  { controller, display }: Browser,
  targetId: string,
  { os, device }: Profile,
) {
  if (!display || os === 'android') return;
  const { width, height } = device.screen;
  const { windowId, bounds } = await controller.call<{ windowId: number; bounds: ScreenSize }>(
    'Browser.getWindowForTarget',
    { targetId },
  );
  const asStarted = Math.abs(bounds.width - started.width) + Math.abs(bounds.height - started.height) <= 2;
  if (!asStarted && bounds.width <= width && bounds.height <= height) return;
  await controller.call('Browser.setWindowBounds', { windowId, bounds: { left: 0, top: 0, width, height } });
}

function inPixels({ screen, pixelRatio }: Device): ScreenSize {
  return {
    width: Math.round(screen.width * pixelRatio),
    height: Math.round(screen.height * pixelRatio),
  };
}
