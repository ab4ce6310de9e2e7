import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Browser, BrowserVersion } from '../chromium/browser.ts';
import type { AttachedTarget, Controller } from '../chromium/controller.ts';
import type { ScriptIdentity } from '../switchboard/hidden-scripts.ts';
import { BrowserLanguages, nameLanguages, needNaming, stopScript } from './browser-languages.ts';
import { type Command, hostScripts, overridesFor } from './overrides.ts';
import type { Profile } from './profile.ts';
import { keepWindows, placeWindow, screenUpdate, setScreen } from './screen.ts';
import { ServiceWorkers } from './service-workers.ts';
import { StoppedTargets } from './stopped-targets.ts';

/** Parameters of `Target.createTarget`, as a client gave them. */
interface OpenPage {
  url: string;
  hidden?: unknown;
}

interface OwnTarget {
  sessionId: string;
  type: string;
  /** Until it has answered all that it was told before it ran, or is gone. */
  telling: Promise<void> | undefined;
}

/** What clients have to do with the targets that the host is attached to. */
export interface ClientHolds {
  /** Whether a client found it stopped and has not let it run. */
  keepStopped(targetId: string, type: string): boolean;
  /** Whether a client is attached to it. */
  hold(targetId: string): boolean;
  /** A service worker that stopped starts again, stopped before its first script. */
  restarted(targetId: string): void;
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

/** The host hears of a target that a client is attached to by then, or not at all. */
const attachTimeoutMs = 2000;

/**
 * Holds a browser to its profile: attaches to every target as it appears, stopped before its first script, and
 * tells it what it is, in one write. It runs when no client keeps it stopped, whatever became of the commands.
 */
export class AppliedProfile {
  readonly profile: Profile;
  /** What the browser says of itself, as the profile has it. */
  readonly version: BrowserVersion;
  readonly #browser: Browser;
  readonly #controller: Controller;
  readonly #logger: Logger;
  readonly #targets = new Map<string, OwnTarget>();
  /** The screen of a headless browser. */
  #screenId: string | undefined;
  #viewportEmulated = false;
  /** Those that clients heard of first, by their id. */
  readonly #expected = new Map<string, PromiseWithResolvers<OwnTarget | undefined>>();
  readonly #stopped: StoppedTargets;
  readonly #serviceWorkers: ServiceWorkers;
  #clients: ClientHolds | undefined;
  #scripts: ScriptIdentity[] | undefined;

  private constructor(browser: Browser, profile: Profile, logger: Logger) {
    this.profile = profile;
    this.version = { ...browser.version, userAgent: profile.userAgent };
    this.#browser = browser;
    this.#controller = browser.controller;
    this.#logger = logger;
    this.#stopped = new StoppedTargets(
      this.#controller,
      (targetId, type) => this.#clients?.keepStopped(targetId, type) ?? false,
    );
    this.#serviceWorkers = new ServiceWorkers(
      this.#controller,
      (targetId) => this.#clients?.hold(targetId) ?? false,
    );
    this.#controller.on('Target.attachedToTarget', (attached, parent) => this.#attached(attached, parent));
    this.#controller.on('Target.detachedFromTarget', ({ sessionId }) => this.#detached(sessionId));
    this.#controller.on('Fetch.requestPaused', (paused, sessionId) => {
      const worker: OwnTarget = { sessionId, type: 'service_worker', telling: undefined };
      for (const command of nameLanguages(paused, profile.languages)) void this.#tell(worker, command);
    });
    this.#controller.on('Inspector.targetReloadedAfterCrash', (_nothing, sessionId) =>
      this.#restarted(sessionId),
    );
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
  async openPage({ url, ...params }: OpenPage): Promise<{ targetId: string }> {
    // The host is not attached to a hidden page and cannot send it on: without a document it would answer nobody.
    const begins = params.hidden === true ? 'about:blank' : 'javascript:void(0)';
    const opened = await this.#controller.call<{ targetId: string }>('Target.createTarget', {
      ...params,
      url: begins,
    });
    const target = this.#targets.get(opened.targetId);
    if (target) void this.#tell(target, ['Page.navigate', { url }]);
    return opened;
  }

  /** From here on a client sees only the page's scripts in that session of its own. */
  hideScripts(clientSession: string): void {
    this.#scripts ??= hostScripts(this.profile).map((source) => ({
      hash: createHash('sha256').update(source).digest('hex'),
      length: source.length,
    }));
    this.#browser.pipe.hideScripts(clientSession, this.#scripts);
  }

  /** Clients may keep targets stopped, and be attached to them. */
  heed(clients: ClientHolds): void {
    this.#clients = clients;
  }

  /**
   * Resolves when a target that was just found stopped knows what it is; undefined: it does. Chromium keeps no
   * order between two sessions of a worker: a client's word to run could come before what the host says.
   */
  whenTold(targetId: string): Promise<void> | undefined {
    const target = this.#targets.get(targetId);
    return target ? target.telling : this.#expect(targetId).then((found) => found?.telling);
  }

  /** A client lets it run. */
  run(targetId: string): void {
    this.#stopped.run(targetId);
  }

  /** A client has let a target run, or has left it. */
  reconsider(targetId: string): void {
    void this.#stopped.reconsider();
    this.#serviceWorkers.release(targetId);
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
    if (type === 'service_worker' && parent !== undefined) {
      this.#viaPage(targetId, sessionId, parent);
      return;
    }
    this.#controller.sessions.add(sessionId);
    const target: OwnTarget = { sessionId, type, telling: undefined };
    if (!known && disguisedTypes.has(type)) {
      this.#targets.set(targetId, target);
      const isNamed = type === 'service_worker' && needNaming(this.profile.languages);
      if (isNamed) void this.#tell(target, stopScript(targetInfo.url));
      void this.#tell(target, ['Target.setAutoAttach', autoAttach(fromPage(this.profile))]);
      this.#introduce(target, waitingForDebugger);
      // It has its script by then, which may have come from the cache.
      if (isNamed) void target.telling?.then(() => this.#tell(target, ['Fetch.disable', {}]));
      this.#serviceWorkers.attached(targetInfo, sessionId);
    }
    if (!known && type === 'page') void placeWindow(this.#browser, targetId, this.profile).catch(() => {});
    if (waitingForDebugger) this.#stopped.add(targetId, type, sessionId);
    this.#expected.get(targetId)?.resolve(target);
    this.#expected.delete(targetId);
  }

  /** Tells a target what it is. */
  #introduce(target: OwnTarget, isStopped: boolean): void {
    const told = overridesFor(this.profile, target.type).map((command) => this.#tell(target, command));
    if (!isStopped) return;
    // Answers come in order.
    target.telling = told.at(-1)?.then(() => {
      target.telling = undefined;
    });
  }

  /** The script of a service worker is fetched when the session by way of the page ends: once the host has asked for it. */
  #viaPage(targetId: string, sessionId: string, parent: string): void {
    const detach = () =>
      this.#controller.call('Target.detachFromTarget', { sessionId }, parent).catch(() => {}); // Gone already.
    if (this.#targets.has(targetId)) void detach();
    else void this.#expect(targetId).then(detach);
  }

  #restarted(sessionId: string): void {
    const targetId = this.#serviceWorkers.restarted(sessionId);
    const target = targetId === undefined ? undefined : this.#targets.get(targetId);
    if (targetId === undefined || !target) return;
    this.#clients?.restarted(targetId);
    this.#introduce(target, true);
    this.#stopped.add(targetId, target.type, sessionId);
  }

  /** Undefined: the host did not hear of it. */
  #expect(targetId: string): Promise<OwnTarget | undefined> {
    const expected = this.#expected.get(targetId) ?? Promise.withResolvers<OwnTarget | undefined>();
    this.#expected.set(targetId, expected);
    const timer = setTimeout(() => {
      this.#expected.delete(targetId);
      expected.resolve(undefined);
    }, attachTimeoutMs).unref();
    return expected.promise.finally(() => clearTimeout(timer));
  }

  #detached(sessionId: string): void {
    if (!this.#controller.sessions.delete(sessionId)) return;
    this.#controller.sessionEnded(sessionId);
    this.#stopped.forget(sessionId);
    const [targetId] = [...this.#targets].find(([, target]) => target.sessionId === sessionId) ?? [];
    if (targetId === undefined) return;
    const type = this.#targets.get(targetId)?.type;
    this.#targets.delete(targetId);
    this.#serviceWorkers.detached(targetId);
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
