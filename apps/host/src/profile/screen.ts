import type { Browser } from '../chromium/browser.ts';
import { fillScreen } from '../display/fill-screen.ts';
import { resizeDisplay, type ScreenSize } from '../display/resize.ts';
import type { Device } from './device.ts';
import type { Profile } from './profile.ts';

interface ScreenInfos {
  screenInfos: { id: string }[];
}

const timeoutMs = 3000;

/** Gives the browser the profile's screen, and its window all of it; later windows fill it by themselves. */
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
        top: Math.round(screen.top * pixelRatio),
        bottom: Math.round(screen.bottom * pixelRatio),
      },
    },
    sessionId,
  );
  const setState = (windowState: string) =>
    controller.call('Browser.setWindowBounds', { windowId, bounds: { windowState } });
  await Promise.all([setState('normal'), setState('maximized')]);
}

function inPixels({ screen, pixelRatio }: Device): ScreenSize {
  return {
    width: Math.round(screen.width * pixelRatio),
    height: Math.round(screen.height * pixelRatio),
  };
}
