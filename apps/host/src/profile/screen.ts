import type { Protocol } from 'devtools-protocol';
import type { Browser } from '../chromium/browser.ts';
import type { Controller } from '../chromium/controller.ts';
import type { Params } from '../chromium/protocol.ts';
import { resizeDisplay, type ScreenSize } from '../display/resize.ts';
import type { Area } from '../display/work-area.ts';
import type { Device } from './device.ts';
import { fillScreen } from './fill-screen.ts';
import type { Profile } from './profile.ts';

/**
 * Gives the browser the profile's screen, and makes its window fill it. Returns the id of a headless browser's screen,
 * which can be updated later.
 */
export async function setScreen(
  browser: Browser,
  { targetId, cdpSessionId }: { targetId: string; cdpSessionId: string },
  profile: Profile,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { controller, display } = browser;
  const { os, device } = profile;
  if (display) {
    if (os === 'android') await resizeDisplay(display, inPixels(device, device.pixelRatio), { signal });
    else await fillScreen(browser, targetId, { size: device.screen, area: workArea(profile) }, signal);
    return undefined;
  }
  const [{ screenInfos }, { windowId }] = await Promise.all([
    controller.call('Emulation.getScreenInfos', {}, { cdpSessionId, signal }),
    controller.call('Browser.getWindowForTarget', { targetId }, { signal }),
  ]);
  const screenId = screenInfos[0]?.id ?? '';
  const [method, params] = screenUpdate(screenId, profile, device.pixelRatio);
  await controller.call(method, params, { cdpSessionId, signal });
  controller.call('Browser.setWindowBounds', { windowId, bounds: workArea(profile) }).catch(() => {});
  return screenId;
}

/** Gives a screen the profile's size, at a ratio of physical pixels to CSS pixels. */
export function screenUpdate(
  screenId: string,
  profile: Profile,
  devicePixelRatio: number,
): readonly ['Emulation.updateScreen', Params<'Emulation.updateScreen'>] {
  const { screen } = profile.device;
  const { top, height } = workArea(profile);
  const insets = { top, bottom: screen.height - top - height };
  return [
    'Emulation.updateScreen',
    {
      screenId,
      ...inPixels(profile.device, devicePixelRatio),
      devicePixelRatio,
      colorDepth: profile.device.colorDepth,
      workAreaInsets: {
        left: 0,
        right: 0,
        top: Math.round(insets.top * devicePixelRatio),
        bottom: Math.round(insets.bottom * devicePixelRatio),
      },
    },
  ];
}

/** Makes a change of the pixel ratio and keeps the size of windows. Chromium would keep their physical pixels. */
export async function keepWindowSizes(
  controller: Controller,
  targetIds: readonly string[],
  change: () => void,
): Promise<void> {
  const asked = targetIds.map((targetId) =>
    controller.call('Browser.getWindowForTarget', { targetId }).catch(() => undefined),
  );
  change();
  const windows = new Map<number, Protocol.Browser.Bounds>();
  for (const known of await Promise.all(asked)) {
    if (known?.bounds.windowState === 'normal') windows.set(known.windowId, known.bounds);
  }
  for (const [windowId, { windowState: _state, ...bounds }] of windows) {
    await controller.call('Browser.setWindowBounds', { windowId, bounds });
  }
}

/** Chromium's offset of a new window from the one before, in pixels. */
const cascade = 10;

/**
 * Moves a new window. Chromium gives it the size of the one before, a little further down and to the right. Where that
 * one fills its screen, the new one is moved to fill it too. It is not maximised: a maximised window does not take the
 * bounds that a client asks for.
 */
export async function placeWindow(
  { controller }: Browser,
  targetId: string,
  profile: Profile,
): Promise<void> {
  if (profile.os === 'android') return;
  const area = workArea(profile);
  const { windowId, bounds } = await controller.call('Browser.getWindowForTarget', { targetId });
  const { left = 0, top = 0, width = 0, height = 0 } = bounds;
  const right = left - area.left;
  const down = top - area.top;
  if (right === 0 && down === 0) return;
  if (width < area.width - 1 || height < area.height - 1) return;
  if (right > cascade || down > cascade) return;
  await controller.call('Browser.setWindowBounds', { windowId, bounds: area });
}

/** The part of the screen that windows can use. A phone's bars lie over its screen. */
function workArea({ os, device: { screen } }: Profile): Area {
  const [top, bottom] = os === 'android' ? [0, 0] : [screen.top, screen.bottom];
  return { left: 0, top, width: screen.width, height: screen.height - top - bottom };
}

/** Chromium rounds up to CSS pixels. */
function inPixels({ screen }: Device, pixelRatio: number): ScreenSize {
  const whole = (length: number) => Math.floor(length * pixelRatio + 1e-6);
  return { width: whole(screen.width), height: whole(screen.height) };
}
