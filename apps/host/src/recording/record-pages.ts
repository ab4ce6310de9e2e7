import { createHash } from 'node:crypto';
import type { Protocol } from 'devtools-protocol';
import type { Target } from '../targets/target.ts';
import type { Targets } from '../targets/targets.ts';
import type { BrowserEvents } from './browser-events.ts';
import { type EventLog, inTab } from './event-log.ts';
import type { Mask } from './masks/mask.ts';
import { maskTitle } from './masks/mask-title.ts';

const maxTitleLength = 300;
const maxMessageLength = 1000;
/** Downloads at the same time. Others are not recorded. */
const maxDownloads = 1000;

interface PageRecording {
  events: BrowserEvents;
  /** Calls `work`, and keeps an error of it from ending the session. */
  guard(work: () => void): void;
  log: EventLog;
  mask: Mask;
  targets: Targets;
}

/**
 * Records navigations, titles, dialogs, downloads and crashes. The host has the Page domain enabled in every page.
 * Returns a function that looks for new titles: Chromium reports those of new pages only.
 */
export function recordPages({ events, guard, log, mask, targets }: PageRecording): () => void {
  const tabOf = (cdpSessionId: string | undefined) => inTab(targets.ofSession(cdpSessionId)?.tab);
  const lastInfo = new WeakMap<Target, string>();

  const changed = (target: Target, { url, title }: Protocol.Target.TargetInfo) => {
    const { tab, type } = target;
    if (tab === undefined || type !== 'page') return;
    // Most are as they were: they are compared before they are masked.
    const info = createHash('sha1').update(url).update('\n').update(title).digest('base64');
    if (lastInfo.get(target) === info) return;
    if (log.isFull) return log.drop('events');
    lastInfo.set(target, info);
    log.add({
      kind: 'tab.changed',
      tab,
      url: mask.url(url),
      title: maskTitle(mask, title, url, maxTitleLength),
    });
  };
  targets.on('changed', (target, info) => guard(() => changed(target, info)));
  const refresh = onceAtATime(() => targets.lookAtPages());
  for (const event of ['Page.domContentEventFired', 'Page.loadEventFired'] as const) {
    events.on(event, (_event, cdpSessionId) => {
      if (targets.ofSession(cdpSessionId)?.type === 'page') refresh();
    });
  }
  targets.on('crashed', ({ tab }) => {
    if (tab !== undefined) log.add({ kind: 'tab.crashed', tab });
  });
  events.on('Page.frameNavigated', ({ frame }, cdpSessionId) => {
    if (log.isFull) return log.drop('events');
    const url = mask.url(frame.url + (frame.urlFragment ?? ''));
    log.add({ kind: 'navigated', ...tabOf(cdpSessionId), url, isMainFrame: frame.parentId === undefined });
  });
  events.on('Page.navigatedWithinDocument', ({ frameId, url }, cdpSessionId) => {
    if (log.isFull) return log.drop('events');
    const target = targets.ofSession(cdpSessionId);
    const isMainFrame = target?.type === 'page' && target.targetId === frameId;
    log.add({ kind: 'navigated', ...inTab(target?.tab), url: mask.url(url), isMainFrame });
  });
  events.on('Page.javascriptDialogOpening', ({ type, message }, cdpSessionId) => {
    if (log.isFull) return log.drop('events');
    log.add({ kind: 'dialog', ...tabOf(cdpSessionId), type, message: mask.text(message, maxMessageLength) });
  });
  events.on('Page.javascriptDialogClosed', ({ result }, cdpSessionId) =>
    log.add({ kind: 'dialog.closed', ...tabOf(cdpSessionId), accepted: result }),
  );
  recordDownloads({ events, log, mask, targets });
  return refresh;
}

/** Returns a function that runs `work`, and once more if it is called meanwhile. It fails when the browser is gone. */
function onceAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isAskedAgain = false;
  const run = async () => {
    isRunning = true;
    do {
      isAskedAgain = false;
      await work().catch(() => {});
    } while (isAskedAgain);
    isRunning = false;
  };
  return () => {
    if (isRunning) isAskedAgain = true;
    else void run();
  };
}

function recordDownloads({ events, log, mask, targets }: Omit<PageRecording, 'guard'>): void {
  /** Ids of downloads that have begun. Every page of a context may be told of each. */
  const begun = new Set<string>();
  events.on('Page.downloadWillBegin', ({ guid, url, suggestedFilename }, cdpSessionId) => {
    if (begun.has(guid)) return;
    if (log.isFull || begun.size >= maxDownloads) return log.drop('events');
    begun.add(guid);
    const { tab } = targets.ofSession(cdpSessionId) ?? {};
    const name = mask.text(suggestedFilename, maxTitleLength);
    log.add({ kind: 'download', ...inTab(tab), id: guid, url: mask.url(url), name });
  });
  events.on('Page.downloadProgress', ({ guid, state, receivedBytes }, cdpSessionId) => {
    if (state === 'inProgress' || !begun.delete(guid)) return;
    const { tab } = targets.ofSession(cdpSessionId) ?? {};
    log.add({ kind: 'download.done', ...inTab(tab), id: guid, state, bytes: receivedBytes });
  });
}
