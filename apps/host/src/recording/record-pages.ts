import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { BrowserEvents } from './browser-events.ts';
import type { EventLog } from './event-log.ts';
import type { Mask } from './mask.ts';
import { inTab, type RecordedTarget, type RecordedTargets } from './recorded-targets.ts';

const maxTitleLength = 300;
const maxMessageLength = 1000;

interface PageRecording {
  controller: Controller;
  events: BrowserEvents;
  log: EventLog;
  mask: Mask;
  targets: RecordedTargets;
}

/**
 * Records navigations, titles, dialogs, downloads and crashes. The host has the Page domain enabled in every page.
 * Returns a function that looks for new titles: Chromium reports those of new pages only.
 */
export function recordPages({ controller, events, log, mask, targets }: PageRecording): () => void {
  const tabOf = (cdpSessionId: string | undefined) => inTab(targets.ofSession(cdpSessionId)?.tab);
  const lastInfo = new WeakMap<RecordedTarget, string>();

  const changed = ({ targetId, url, title }: Protocol.Target.TargetInfo) => {
    const target = targets.ofId(targetId);
    if (target?.tab === undefined || target.type !== 'page') return;
    const shown = { url: mask.url(url), title: mask.text(title, maxTitleLength) };
    const text = JSON.stringify(shown);
    if (lastInfo.get(target) === text) return;
    lastInfo.set(target, text);
    log.add({ kind: 'tab.changed', tab: target.tab, ...shown });
  };
  events.on('Target.targetInfoChanged', ({ targetInfo }) => changed(targetInfo));
  const refresh = () => {
    const asked = controller.call('Target.getTargets', { filter: [{ type: 'page' }] });
    asked.then(({ targetInfos }) => targetInfos.forEach(changed)).catch(() => {}); // The browser is gone.
  };
  for (const event of ['Page.domContentEventFired', 'Page.loadEventFired'] as const) {
    events.on(event, (_event, cdpSessionId) => {
      if (targets.ofSession(cdpSessionId)?.type === 'page') refresh();
    });
  }
  events.on('Target.targetCrashed', ({ targetId }) => {
    const { tab } = targets.ofId(targetId) ?? {};
    if (tab !== undefined) log.add({ kind: 'tab.crashed', tab });
  });
  events.on('Page.frameNavigated', ({ frame }, cdpSessionId) => {
    const url = mask.url(frame.url + (frame.urlFragment ?? ''));
    log.add({ kind: 'navigated', ...tabOf(cdpSessionId), url, isMainFrame: frame.parentId === undefined });
  });
  events.on('Page.navigatedWithinDocument', ({ frameId, url }, cdpSessionId) => {
    const target = targets.ofSession(cdpSessionId);
    const isMainFrame = target?.type === 'page' && target.targetId === frameId;
    log.add({ kind: 'navigated', ...inTab(target?.tab), url: mask.url(url), isMainFrame });
  });
  events.on('Page.javascriptDialogOpening', ({ type, message }, cdpSessionId) =>
    log.add({ kind: 'dialog', ...tabOf(cdpSessionId), type, message: mask.text(message, maxMessageLength) }),
  );
  events.on('Page.javascriptDialogClosed', ({ result }, cdpSessionId) =>
    log.add({ kind: 'dialog.closed', ...tabOf(cdpSessionId), accepted: result }),
  );
  recordDownloads({ events, log, mask, targets });
  return refresh;
}

function recordDownloads({ events, log, mask, targets }: Omit<PageRecording, 'controller'>): void {
  /** Ids of downloads that have begun. Every page of a context may be told of each. */
  const begun = new Set<string>();
  events.on('Page.downloadWillBegin', ({ guid, url, suggestedFilename }, cdpSessionId) => {
    if (begun.has(guid)) return;
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
