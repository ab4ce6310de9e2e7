import type { SnapshotState } from '@turnpike/contract/host/snapshot-state';
import type { Protocol } from 'devtools-protocol';
import type { Logger } from 'pino';
import type { Controller } from '../chromium/controller.ts';
import type { AppliedProfile } from '../profile/applied-profile.ts';
import type { Targets } from '../targets/targets.ts';
import { RestoredTab } from './restored-tab.ts';

interface Restoring {
  controller: Controller;
  targets: Targets;
  applied: AppliedProfile;
  logger: Logger;
}

/** How long pages may load before clients get the browser. They go on loading then. */
const loadMs = 10_000;

/**
 * Gives a new browser what a snapshot holds in its state: cookies, permissions and tabs. Its files are in place already.
 * Every page is loaded by GET, in the device profile and through the session's proxy.
 */
export async function restoreSnapshot(
  { controller, targets, applied, logger }: Restoring,
  state: SnapshotState,
  signal: AbortSignal,
): Promise<void> {
  const call = { signal };
  const cookies = state.cookies.map((cookie) => cookieParam(cookie as Protocol.Network.Cookie));
  await setCookies(controller, cookies, signal);
  for (const { origin, name } of state.allowed)
    await controller
      .call('Browser.setPermission', { origin, permission: { name }, setting: 'granted' }, call)
      .catch((error: Error) =>
        logger.debug({ name, reason: error.message }, 'a permission was not restored'),
      );
  signal.throwIfAborted();
  applied.sendScripts();
  const tabs: RestoredTab[] = [];
  using _listening = passEvents(controller, tabs);
  await openTabs({ controller, targets, applied, logger }, state, tabs, signal);
  // One origin's local storage is written before any of its pages can read it.
  for (const tab of tabs) await tab.writeStorage(signal);
  const late = AbortSignal.timeout(loadMs);
  await Promise.all(tabs.map((tab) => tab.load(AbortSignal.any([signal, late]))));
  signal.throwIfAborted();
  const visible = tabs.find(({ isVisible }) => isVisible) ?? tabs[0];
  await visible?.bringToFront(signal);
  for (const tab of tabs) tab.detach();
}

/** Passes events to the tabs that they are about. */
function passEvents(controller: Controller, tabs: readonly RestoredTab[]): Disposable {
  const tabOf = (session: string | undefined) => tabs.find(({ cdpSessionId }) => cdpSessionId === session);
  const onPaused = (event: Protocol.Fetch.RequestPausedEvent, session: string | undefined) =>
    tabOf(session)?.paused(event);
  const onChange = (event: Protocol.Page.LifecycleEventEvent, session: string | undefined) =>
    tabOf(session)?.changed(event);
  controller.on('Fetch.requestPaused', onPaused);
  controller.on('Page.lifecycleEvent', onChange);
  return {
    [Symbol.dispose]() {
      controller.off('Fetch.requestPaused', onPaused);
      controller.off('Page.lifecycleEvent', onChange);
    },
  };
}

/** One that Chromium refuses would keep all others out. */
async function setCookies(
  controller: Controller,
  cookies: Protocol.Network.CookieParam[],
  signal: AbortSignal,
): Promise<void> {
  if (cookies.length === 0) return;
  try {
    await controller.call('Storage.setCookies', { cookies }, { signal });
  } catch {
    signal.throwIfAborted();
    const each = cookies.map((cookie) =>
      controller.call('Storage.setCookies', { cookies: [cookie] }, { signal }),
    );
    await Promise.allSettled(each);
  }
}

async function openTabs(
  { controller, targets, applied, logger }: Restoring,
  { tabs, local, window }: SnapshotState,
  opened: RestoredTab[],
  signal: AbortSignal,
): Promise<void> {
  const [first] = targets.pages();
  if (first && window) await resize(controller, first.targetId, window, signal);
  const written = new Set<string>();
  for (const [index, tab] of tabs.entries()) {
    const isFirst = index === 0 && first !== undefined;
    const { targetId } = isFirst ? first : await applied.openPage({ url: 'about:blank' });
    signal.throwIfAborted();
    const origin = tab.origin ?? '';
    const pairs = written.has(origin) ? undefined : local.find((one) => one.origin === origin)?.pairs;
    written.add(origin);
    opened.push(await RestoredTab.attach(controller, targetId, { tab, local: pairs, logger }, signal));
  }
}

/** A headless window has the size that its device has; a client may have changed it. */
async function resize(
  controller: Controller,
  targetId: string,
  size: { width: number; height: number },
  signal: AbortSignal,
): Promise<void> {
  try {
    const { windowId } = await controller.call('Browser.getWindowForTarget', { targetId }, { signal });
    await controller.call('Browser.setWindowBounds', { windowId, bounds: size }, { signal });
  } catch (error) {
    if (signal.aborted) throw error;
  }
}

function cookieParam({
  name,
  value,
  domain,
  path,
  expires,
  session,
  ...more
}: Protocol.Network.Cookie): Protocol.Network.CookieParam {
  const { httpOnly, secure, sameSite, priority, sourceScheme, sourcePort, partitionKey } = more;
  const optional = { sameSite, priority, sourceScheme, sourcePort, partitionKey };
  const given = Object.fromEntries(Object.entries(optional).filter(([, one]) => one !== undefined));
  return { name, value, domain, path, httpOnly, secure, ...given, ...(session ? {} : { expires }) };
}
