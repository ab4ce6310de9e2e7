import type { Browser } from '../chromium/browser.ts';
import type { Controller } from '../chromium/controller.ts';
import type { Display } from '../display/display-socket.ts';
import { fillScreen } from '../display/fill-screen.ts';
import { resizeDisplay, type ScreenSize } from '../display/resize.ts';
import type { Device } from './device.ts';
import type { Command } from './overrides.ts';
import type { Profile } from './profile.ts';

interface ScreenInfos {
  screenInfos: { id: string }[];
}

interface WindowArea extends ScreenSize {
  left: number;
  top: number;
}

interface WindowOfTarget {
  windowId: number;
  bounds: WindowArea & { windowState: string };
}

const timeoutMs = 3000;

/** Gives the browser the profile's screen, and its window all of it. Answers the id of one that can be updated. */
export async function setScreen(
  { controller, display }: Browser,
  [targetId, { sessionId }]: [string, { sessionId: string }],
  profile: Profile,
): Promise<string | undefined> {
  const { os, device } = profile;
  if (display) {
    const { width, height } = device.screen;
    const signal = AbortSignal.timeout(timeoutMs);
    if (os === 'android') await resizeDisplay(display, inPixels(device, device.pixelRatio), signal);
    else await fillScreen({ display, controller }, { width, height }, signal);
    return undefined;
  }
  const [{ screenInfos }, { windowId }] = await Promise.all([
    controller.call<ScreenInfos>('Emulation.getScreenInfos', {}, sessionId),
    controller.call<WindowOfTarget>('Browser.getWindowForTarget', { targetId }),
  ]);
  const screenId = screenInfos[0]?.id ?? '';
  await controller.call(...screenUpdate(screenId, profile, device.pixelRatio), sessionId);
  const bounds = workArea(profile, display);
  controller.call('Browser.setWindowBounds', { windowId, bounds }).catch(() => {});
  return screenId;
}

/** The profile's screen with so many of the machine's pixels to one of the page's. */
export function screenUpdate(screenId: string, profile: Profile, devicePixelRatio: number): Command {
  const { screen } = profile.device;
  const { top, height } = workArea(profile, undefined);
  const insets = { top, bottom: screen.height - top - height };
  return [
    'Emulation.updateScreen',
    {
      ...{ screenId, ...inPixels(profile.device, devicePixelRatio), devicePixelRatio },
      workAreaInsets: {
        ...{ left: 0, right: 0 },
        top: Math.round(insets.top * devicePixelRatio),
        bottom: Math.round(insets.bottom * devicePixelRatio),
      },
    },
  ];
}

/** Makes a change after which windows would have as many of the machine's pixels as before, and so another size. */
export async function keepWindows(
  controller: Controller,
  targetIds: readonly string[],
  change: () => void,
): Promise<void> {
  const asked = targetIds.map((targetId) =>
    controller.call<WindowOfTarget>('Browser.getWindowForTarget', { targetId }).catch(() => undefined),
  );
  change();
  const windows = new Map<number, WindowArea>();
  for (const known of await Promise.all(asked)) {
    if (known?.bounds.windowState === 'normal') windows.set(known.windowId, known.bounds);
  }
  for (const [windowId, { left, top, width, height }] of windows) {
    await controller.call('Browser.setWindowBounds', { windowId, bounds: { left, top, width, height } });
  }
}

/** How far Chromium puts a new window from the one before. */
const cascade = 10;

/**
 * A new window has the size of the one before, a little further down and to the right. Where that one fills its
 * screen, as a maximised window does, the new one is moved to fill it too. It is not maximised itself: such a
 * window does not take the bounds that a client asks for.
 */
export async function placeWindow(
  { controller, display }: Browser,
  targetId: string,
  profile: Profile,
): Promise<void> {
  if (profile.os === 'android') return;
  const area = workArea(profile, display);
  const { windowId, bounds } = await controller.call<WindowOfTarget>('Browser.getWindowForTarget', {
    targetId,
  });
  const right = bounds.left - area.left;
  const down = bounds.top - area.top;
  if (right === 0 && down === 0) return;
  if (bounds.width < area.width - 1 || bounds.height < area.height - 1) return;
  if (right > cascade || down > cascade) return;
  await controller.call('Browser.setWindowBounds', { windowId, bounds: area });
}

/** What is left of the screen for windows. A phone's bars lie over its screen, and a display has none. */
function workArea({ os, device: { screen } }: Profile, display: Display | undefined): WindowArea {
  const [top, bottom] = os === 'android' || display ? [0, 0] : [screen.top, screen.bottom];
  return { left: 0, top, width: screen.width, height: screen.height - top - bottom };
}

function inPixels({ screen }: Device, pixelRatio: number): ScreenSize {
  return {
    width: Math.round(screen.width * pixelRatio),
    height: Math.round(screen.height * pixelRatio),
  };
}
