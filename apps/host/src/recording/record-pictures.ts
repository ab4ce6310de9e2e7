import type { Controller } from '../chromium/controller.ts';
import type { Target } from '../targets/target.ts';
import type { BrowserEvents } from './browser-events.ts';
import type { EventLog } from './event-log.ts';
import { jpegSize } from './jpeg-size.ts';

/** A tab that sends pictures while it is visible. */
interface CastTab {
  tab: number;
  cdpSessionId: string;
  isVisible: boolean;
  /** Whether it was ever visible. */
  wasVisible: boolean;
  /** Whether there is something to see: a blank tab has no pictures. */
  hasPage: boolean;
  /** The last picture of it that was recorded. */
  last: Buffer | undefined;
}

const picture = { format: 'jpeg', quality: 50, maxWidth: 1024, maxHeight: 1024 } as const;

/**
 * Chromium sends no picture while too many are not acknowledged, and later only those of new changes. So after this
 * time without one a new picture is asked for, to have what the tab looks like in the end.
 */
const quietMs = 300;
/** Between two pictures that are wanted for what has just happened. */
const wantedMs = 500;

type PictureLog = Pick<EventLog, 'add' | 'addPicture'>;

interface PicturesRecording {
  controller: Controller;
  events: BrowserEvents;
  log: PictureLog;
  /** More than 0. */
  perSecond: number;
}

/**
 * Records pictures of the visible tab when it changes. Chromium makes and sends the next one when the last is
 * acknowledged, which waits for its turn: a page that moves costs no more pictures than are recorded.
 */
export class PictureRecorder {
  readonly #controller: Controller;
  readonly #log: PictureLog;
  readonly #intervalMs: number;
  /** Visible ones that were shown later are further behind. */
  readonly #tabs = new Map<string, CastTab>();
  #shown: CastTab | undefined;
  /** The one that clients act on. */
  #driven: CastTab | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #turn: NodeJS.Timeout | undefined;
  /** Waits until a picture that is wanted may be made. */
  #wanted: NodeJS.Timeout | undefined;
  #isWanted = false;
  #isStopped = false;

  constructor({ controller, events, log, perSecond }: PicturesRecording) {
    this.#controller = controller;
    this.#log = log;
    this.#intervalMs = 1000 / perSecond;
    events.on('Page.screencastFrame', ({ data, sessionId }, cdpSessionId) => {
      const tab = this.#tabs.get(cdpSessionId ?? '');
      if (tab) this.#onFrame(tab, data, sessionId);
    });
    events.on('Page.screencastVisibilityChanged', ({ visible }, cdpSessionId) => {
      const tab = this.#tabs.get(cdpSessionId ?? '');
      if (tab) this.#onVisibility(tab, visible);
    });
  }

  attached({ cdpSessionId, tab }: Pick<Target, 'cdpSessionId' | 'tab'>): void {
    if (tab === undefined || this.#isStopped) return;
    const isVisible = false;
    const last = undefined;
    this.#tabs.set(cdpSessionId, { tab, cdpSessionId, isVisible, wasVisible: false, hasPage: false, last });
    this.#start(cdpSessionId);
  }

  detached(cdpSessionId: string): void {
    const tab = this.#tabs.get(cdpSessionId);
    this.#tabs.delete(cdpSessionId);
    if (tab && this.#driven === tab) this.#driven = undefined;
    if (tab && this.#shown === tab) this.#showNext();
  }

  /** A tab shows a page. */
  hasPage(cdpSessionId: string | undefined): void {
    const tab = this.#tabs.get(cdpSessionId ?? '');
    if (!tab || tab.hasPage) return;
    tab.hasPage = true;
    if (this.#shown === tab) this.#restart(tab.cdpSessionId);
  }

  /** Something has happened in a tab that is worth a picture of its own. Undefined: wherever. */
  want(tab: number | undefined): void {
    const shown = this.#shown;
    if (!shown || this.#isStopped || (tab !== undefined && shown.tab !== tab)) return;
    if (tab !== undefined) shown.hasPage = true;
    this.#isWanted = true;
    if (this.#wanted) return;
    const delayMs = Math.max(0, this.#lastAt + Math.min(wantedMs, this.#intervalMs) - performance.now());
    this.#wanted = setTimeout(() => {
      this.#wanted = undefined;
      if (this.#shown) this.#restart(this.#shown.cdpSessionId);
    }, delayMs).unref();
  }

  /** A client acts on a tab: it is shown, although others may be visible too. */
  driven(tab: number): void {
    if (this.#driven?.tab === tab) return;
    this.#driven = [...this.#tabs.values()].find((one) => one.tab === tab);
    this.#showDriven();
  }

  /** A person acts in the live view. What they bring to the front is shown. */
  drivenByPerson(): void {
    this.#driven = undefined;
  }

  /** A page that is loaded after a crash sends none by itself. */
  restarted(cdpSessionId: string): void {
    if (this.#tabs.has(cdpSessionId)) this.#restart(cdpSessionId);
  }

  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    clearTimeout(this.#turn);
    clearTimeout(this.#wanted);
    for (const cdpSessionId of this.#tabs.keys()) this.#call('Page.stopScreencast', {}, cdpSessionId);
    this.#tabs.clear();
  }

  #onVisibility(tab: CastTab, isVisible: boolean): void {
    if (tab.isVisible === isVisible) return;
    const isNew = !tab.wasVisible;
    Object.assign(tab, { isVisible, wasVisible: true });
    if (!isVisible) {
      if (this.#shown === tab) this.#showNext();
      return;
    }
    // A client that connects has every page believe that it is visible. The one that is driven stays shown.
    if (!isNew && this.#driven !== tab && this.#driven?.isVisible) return;
    if (isNew) this.#driven = undefined;
    this.#show(tab);
    if (tab.last !== undefined) this.#restart(tab.cdpSessionId);
  }

  #showDriven(): void {
    const tab = this.#driven;
    if (!tab?.isVisible || this.#shown === tab) return;
    this.#show(tab);
    this.#restart(tab.cdpSessionId);
  }

  #show(tab: CastTab): void {
    this.#tabs.delete(tab.cdpSessionId);
    this.#tabs.set(tab.cdpSessionId, tab);
    this.#shown = tab;
    this.#log.add({ kind: 'tab.shown', tab: tab.tab });
  }

  #showNext(): void {
    this.#shown = undefined;
    const visible = [...this.#tabs.values()].filter(({ isVisible }) => isVisible);
    const next = visible.find((tab) => tab === this.#driven) ?? visible.at(-1);
    if (!next) return;
    this.#show(next);
    this.#restart(next.cdpSessionId);
  }

  #onFrame(tab: CastTab, data: string, castId: number): void {
    if (this.#isStopped || this.#shown !== tab || !tab.hasPage) return;
    const now = performance.now();
    const dueAt = this.#lastAt + (this.#isWanted ? Math.min(wantedMs, this.#intervalMs) : this.#intervalMs);
    if (now < dueAt) {
      this.#takeTurn(dueAt - now, tab, castId);
      return;
    }
    this.#isWanted = false;
    const jpeg = Buffer.from(data, 'base64');
    if (tab.last?.equals(jpeg)) return; // It was asked for, and nothing has changed.
    const size = jpegSize(jpeg);
    if (!size) return;
    tab.last = jpeg;
    this.#lastAt = now;
    this.#log.addPicture({ jpeg, tab: tab.tab, ...size });
    this.#takeTurn(this.#intervalMs, tab, castId);
  }

  /** Acknowledges a picture when the next one may come, and asks for one if none comes. */
  #takeTurn(delayMs: number, tab: CastTab, castId: number): void {
    clearTimeout(this.#turn);
    this.#turn = setTimeout(() => {
      this.#call('Page.screencastFrameAck', { sessionId: castId }, tab.cdpSessionId);
      this.#turn = setTimeout(() => this.#restart(tab.cdpSessionId), quietMs).unref();
    }, delayMs).unref();
  }

  /** Has Chromium send a picture, whether or not anything has changed. */
  #restart(cdpSessionId: string): void {
    this.#call('Page.stopScreencast', {}, cdpSessionId);
    this.#start(cdpSessionId);
  }

  #start(cdpSessionId: string): void {
    this.#call('Page.startScreencast', picture, cdpSessionId);
  }

  #call(
    method: 'Page.startScreencast' | 'Page.stopScreencast' | 'Page.screencastFrameAck',
    params: object,
    cdpSessionId: string,
  ): void {
    this.#controller.call(method, params as never, { cdpSessionId }).catch(() => {}); // The tab is gone.
  }
}
