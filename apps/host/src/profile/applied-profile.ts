import type { Logger } from 'pino';
import type { Browser, BrowserVersion } from '../chromium/browser.ts';
import type { AttachedTarget, Controller } from '../chromium/controller.ts';
import { BrowserLanguages, nameLanguages, needNaming, stopScript } from './browser-languages.ts';
import { type Command, overridesFor } from './overrides.ts';
import type { Profile } from './profile.ts';
import { keepWindows, placeWindow, screenUpdate, setScreen } from './screen.ts';

interface OwnTarget {
  sessionId: string;
  type: string;
  /** Until it has answered all that it was told before it ran, or is gone. */
  telling: Promise<void> | undefined;
}

const disguisedTypes = new Set(['page', 'iframe', 'worker', 'shared_worker', 'service_worker']);

/** A renderer has one of each, which only the session that set it may change; and how it is let go of. */
const exclusive = {
  'Emulation.setLocaleOverride': {},
  'Emulation.setTimezoneOverride': { timezoneId: '' },
} as const;
export type ExclusiveMethod = keyof typeof exclusive;
export const exclusiveMethods = Object.keys(exclusive) as ExclusiveMethod[];

/** What Chromium takes for done while the same session has done it before, though another's end has undone it. */
const undoing: Readonly<Record<string, Command>> = {
  'Emulation.setDeviceMetricsOverride': ['Emulation.clearDeviceMetricsOverride', {}],
  'Emulation.setTouchEmulationEnabled': ['Emulation.setTouchEmulationEnabled', { enabled: false }],
  'Emulation.setFocusEmulationEnabled': ['Emulation.setFocusEmulationEnabled', { enabled: false }],
};

/**
 * Shared and service workers are found from the browser itself; a page's own workers and frames from the page.
 * From there a service worker is found before its script is fetched, which is of use where that needs a word.
 */
const fromPage = ({ languages }: Profile) => [
  { type: 'service_worker', exclude: !needNaming(languages) },
  { type: 'shared_worker', exclude: true },
  {},
];

const goOn: Command = ['Runtime.runIfWaitingForDebugger', {}];

/** A target that does not answer, or that only a client attached to, is not kept from that client for longer. */
const tellingTimeoutMs = 2000;

/**
 * Holds a browser to its profile: attaches to every target as it appears, stopped before its first script, and
 * tells it what it is. All of that goes out in one write with the word to go on at its end, and nothing is
 * waited for: whatever becomes of the target, or of a command, it is never left stopped.
 */
export class AppliedProfile {
  readonly profile: Profile;
  /** What the browser says of itself, as the profile has it. */
  readonly version: BrowserVersion;
  readonly #browser: Browser;
  readonly #controller: Controller;
  readonly #logger: Logger;
  readonly #targets = new Map<string, OwnTarget>();
  /** Of a headless browser. */
  #screenId: string | undefined;
  #viewportEmulated = false;
  /** Those that clients heard of first, by their id. */
  readonly #expected = new Map<string, PromiseWithResolvers<OwnTarget>>();

  private constructor(browser: Browser, profile: Profile, logger: Logger) {
    this.profile = profile;
    this.version = { ...browser.version, userAgent: profile.userAgent };
    this.#browser = browser;
    this.#controller = browser.controller;
    this.#logger = logger;
    this.#controller.on('Target.attachedToTarget', (attached, parent) => this.#attached(attached, parent));
    this.#controller.on('Target.detachedFromTarget', ({ sessionId }) => this.#detached(sessionId));
    this.#controller.on('Fetch.requestPaused', (paused, sessionId) => {
      const worker: OwnTarget = { sessionId, type: 'service_worker', telling: undefined };
      for (const command of nameLanguages(paused, profile.languages)) void this.#tell(worker, command);
    });
  }

  /**
   * Resolves when the pages that are there already have been told, though not when they have answered: what
   * clients say comes after it, on the same pipe.
   */
  static async to(
    browser: Browser,
    profile: Profile,
    logger: Logger,
    browserLanguages = new BrowserLanguages(browser, profile.languages),
  ): Promise<AppliedProfile> {
    await browserLanguages
      .set(profile.languages)
      .catch((error: Error) =>
        logger.warn({ reason: error.message }, 'a browser fetches what is its own in languages of its own'),
      );
    const applied = new AppliedProfile(browser, profile, logger);
    await browser.controller.call('Target.setAutoAttach', autoAttach());
    const [first] = applied.#targets;
    if (first) applied.#screenId = await setScreen(browser, first, profile);
    return applied;
  }

  /**
   * What a client asks for is done as if from the browser's window: its first request too is the profile's. The
   * page is opened with a script that does nothing, and so at no address: a blank one would be in its history.
   */
  async openPage({ url, ...params }: { url: string }): Promise<{ targetId: string }> {
    const opened = await this.#controller.call<{ targetId: string }>('Target.createTarget', {
      ...params,
      url: 'javascript:void(0)',
    });
    const target = this.#targets.get(opened.targetId);
    if (target) void this.#tell(target, ['Page.navigate', { url }]);
    return opened;
  }

  /**
   * Resolves when a target that was just found stopped knows what it is; undefined: it does. Chromium keeps no
   * order between two sessions of a worker: a client's word to go on could come before what the host says.
   */
  whenTold(targetId: string): Promise<void> | undefined {
    const target = this.#targets.get(targetId);
    if (target && !target.telling) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#logger.debug({ type: target?.type }, 'a target did not answer in time');
      this.#expected.delete(targetId);
      resolve();
    }, tellingTimeoutMs).unref();
    const telling = target ? target.telling : this.#expect(targetId).then((found) => found.telling);
    void telling?.then(() => {
      clearTimeout(timer);
      resolve();
    });
    return promise;
  }

  /** Tells a target again what it is, in these respects. */
  restore(targetId: string, methods: ReadonlySet<string>): void {
    const target = this.#targets.get(targetId);
    if (!target) return;
    for (const command of overridesFor(this.profile, target.type)) {
      if (!methods.has(command[0])) continue;
      const undo = undoing[command[0]];
      if (undo) void this.#tell(target, undo);
      void this.#tell(target, command);
    }
  }

  /**
   * Told whether a client emulates a viewport anywhere. Chromium draws one soft, and a pixel off, whose ratio is not
   * its screen's: so while there is one the screen's ratio is 1, as it is for a Chromium that was told nothing.
   */
  clientsEmulateViewport(emulate: boolean): void {
    const { pixelRatio } = this.profile.device;
    const pages = [...this.#targets].filter(([, { type }]) => type === 'page');
    const [, teller] = pages[0] ?? [];
    if (!teller || !this.#screenId || pixelRatio === 1 || emulate === this.#viewportEmulated) return;
    this.#viewportEmulated = emulate;
    const update = screenUpdate(this.#screenId, this.profile, emulate ? 1 : pixelRatio);
    const pageIds = pages.map(([targetId]) => targetId);
    void keepWindows(this.#controller, pageIds, () => void this.#tell(teller, update)).catch(() => {});
  }

  /** Lets go of what a renderer has one of for all its targets, so that a client can set its own. */
  release(method: ExclusiveMethod): void {
    for (const target of this.#targets.values()) void this.#tell(target, [method, exclusive[method]]);
  }

  restoreAll(method: ExclusiveMethod, except: ReadonlySet<string> = new Set()): void {
    for (const targetId of this.#targets.keys()) {
      if (!except.has(targetId)) this.restore(targetId, new Set([method]));
    }
  }

  #attached({ sessionId, targetInfo, waitingForDebugger }: AttachedTarget, parent: string | undefined): void {
    const { targetId, type } = targetInfo;
    const known = this.#targets.has(targetId);
    // From the root these are also the connections of clients: to the browser, or to a page that is known.
    if (parent === undefined && !waitingForDebugger && (known || !disguisedTypes.has(type))) return;
    this.#controller.sessions.add(sessionId);
    const target: OwnTarget = { sessionId, type, telling: undefined };
    if (type === 'service_worker' && parent !== undefined) {
      for (const command of [stopScript, goOn]) void this.#tell(target, command);
      return;
    }
    if (!known && disguisedTypes.has(type)) {
      this.#targets.set(targetId, target);
      void this.#tell(target, ['Target.setAutoAttach', autoAttach(fromPage(this.profile))]);
      for (const command of overridesFor(this.profile, type)) void this.#tell(target, command);
    }
    if (!known && type === 'page') void placeWindow(this.#browser, targetId, this.profile).catch(() => {});
    if (waitingForDebugger) {
      // Answers come in order: this one's is the last.
      target.telling = this.#tell(target, goOn).then(() => {
        target.telling = undefined;
      });
    }
    this.#expected.get(targetId)?.resolve(target);
    this.#expected.delete(targetId);
  }

  #expect(targetId: string): Promise<OwnTarget> {
    const expected = this.#expected.get(targetId) ?? Promise.withResolvers<OwnTarget>();
    this.#expected.set(targetId, expected);
    return expected.promise;
  }

  #detached(sessionId: string): void {
    if (!this.#controller.sessions.delete(sessionId)) return;
    this.#controller.sessionEnded(sessionId);
    const [targetId] = [...this.#targets].find(([, target]) => target.sessionId === sessionId) ?? [];
    if (targetId === undefined) return;
    const type = this.#targets.get(targetId)?.type;
    this.#targets.delete(targetId);
    // The renderer may have had these from this one, and others may live in it still.
    if (type !== 'page' && type !== 'iframe') return;
    for (const method of exclusiveMethods) this.restoreAll(method);
  }

  async #tell({ sessionId, type }: OwnTarget, [method, params]: Command): Promise<void> {
    try {
      await this.#controller.call(method, params, sessionId);
    } catch (error) {
      this.#logger.debug({ type, method, reason: (error as Error).message }, 'not applied to a target');
    }
  }
}

function autoAttach(filter?: object[]): object {
  return { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, ...(filter && { filter }) };
}
