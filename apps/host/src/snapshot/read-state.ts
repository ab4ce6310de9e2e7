import type { SnapshotState, TabState } from '@turnpike/contract/host/snapshot-state';
import { maxHistory, maxTabs } from '@turnpike/contract/saved-profile';
import type { Controller } from '../chromium/controller.ts';
import type { KeptDevice } from '../profile/profile.ts';
import type { Target } from '../targets/target.ts';
import type { Targets } from '../targets/targets.ts';
import { callInPage } from './call-in-page.ts';

/** How long one page may take to answer, and all of them. */
const pageMs = 2000;
const allPagesMs = 10_000;
/** Of the local and session storage of all tabs, together. */
const maxStorageChars = 5 * 2 ** 20;
const maxAddressChars = 8192;

interface PageState {
  origin: string;
  local?: [string, string][];
  session: [string, string][];
  scroll: [number, number];
  fields: object[];
  allowed: string[];
  isVisible: boolean;
  isCut: boolean;
}

/** Whether a page with this address can be opened again. */
const isWeb = (url: string): boolean =>
  url.length <= maxAddressChars && (url.startsWith('https://') || url.startsWith('http://'));

/** Reads what a running browser holds in memory, without disturbing it. `lost` says what could not be read. */
export async function readState(
  controller: Controller,
  targets: Targets,
  device: KeptDevice,
): Promise<{ state: SnapshotState; lost: string[] }> {
  const lost = new Set<string>();
  const { cookies } = await controller.call('Storage.getCookies', {});
  const pages = await ownPages(controller, targets);
  if (pages.length > maxTabs) lost.add(`There were more than ${maxTabs} tabs; the newest were left out.`);
  const state: SnapshotState = { device, cookies, local: [], tabs: [], allowed: [] };
  const endsAt = performance.now() + allPagesMs;
  for (const page of pages.slice(0, maxTabs)) {
    const addresses = await readAddresses(controller, page).catch(() => undefined);
    if (!addresses) continue; // It was closed meanwhile.
    const tab: TabState = { ...addresses, session: [], scroll: [0, 0], fields: [], isVisible: false };
    state.tabs.push(tab);
    if (!isWeb(addresses.url)) continue;
    const left = Math.min(pageMs, endsAt - performance.now());
    const read = left > 0 && (await readPage(controller, page, state, left).catch(() => undefined));
    if (!read) lost.add('A tab did not answer in time: it is opened again without its storage and fields.');
    else addPage(state, tab, read, lost);
  }
  const [first] = pages;
  const size = first && (await windowSize(controller, first).catch(() => undefined));
  if (size) state.window = size;
  return { state, lost: [...lost] };
}

/** The pages of the browser's own context, oldest first. Other contexts are private. */
async function ownPages(controller: Controller, targets: Targets): Promise<Target[]> {
  const { browserContextIds } = await controller.call('Target.getBrowserContexts', {});
  const others = new Set<string | undefined>(browserContextIds);
  return targets.pages().filter(({ browserContextId }) => !others.has(browserContextId));
}

async function readAddresses(
  controller: Controller,
  { cdpSessionId }: Target,
): Promise<Pick<TabState, 'before' | 'url'>> {
  const options = { cdpSessionId, timeoutMs: pageMs };
  const { entries, currentIndex } = await controller.call('Page.getNavigationHistory', {}, options);
  const addresses = entries.slice(0, currentIndex + 1).map(({ url }) => url);
  const url = addresses.pop() ?? 'about:blank';
  return { before: addresses.filter(isWeb).slice(-maxHistory), url: isWeb(url) ? url : 'about:blank' };
}

async function readPage(
  controller: Controller,
  page: Target,
  state: SnapshotState,
  timeoutMs: number,
): Promise<PageState> {
  const known = state.local.map(({ origin }) => origin);
  const values = [known, maxStorageChars];
  return JSON.parse(String(await callInPage(controller, page, 'readPageState', values, timeoutMs)));
}

function addPage(state: SnapshotState, tab: TabState, page: PageState, lost: Set<string>): void {
  const { origin, local, session, scroll, fields, allowed, isVisible, isCut } = page;
  const chars = [
    ...state.local.map(({ pairs }) => pairs),
    ...state.tabs.map((one) => one.session),
    local ?? [],
    session,
  ]
    .map(charsOf)
    .reduce((sum, one) => sum + one, 0);
  if (isCut || chars > maxStorageChars) lost.add(`The storage of ${origin} is too large.`);
  if (chars <= maxStorageChars && isWeb(origin)) {
    tab.origin = origin;
    tab.session = session;
    if (local && !isCut) state.local.push({ origin, pairs: local });
  }
  Object.assign(tab, { scroll, fields, isVisible });
  for (const name of allowed)
    if (!state.allowed.some((one) => one.origin === origin && one.name === name))
      state.allowed.push({ origin, name });
}

const charsOf = (pairs: readonly (readonly [string, string])[]): number =>
  pairs.reduce((sum, [key, value]) => sum + key.length + value.length, 0);

async function windowSize(
  controller: Controller,
  { targetId }: Target,
): Promise<{ width: number; height: number } | undefined> {
  const { bounds } = await controller.call('Browser.getWindowForTarget', { targetId }, { timeoutMs: pageMs });
  const { width, height, windowState } = bounds;
  if (windowState !== 'normal' || width === undefined || height === undefined) return undefined;
  return { width, height };
}
