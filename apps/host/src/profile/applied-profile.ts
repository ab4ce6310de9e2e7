import { createHash } from 'node:crypto';
import type { Protocol } from 'devtools-protocol';
import type { Logger } from 'pino';
import type { Browser, BrowserVersion } from '../chromium/browser.ts';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';
import type { Saving } from '../saving/saving.ts';
import type { ScriptIdentity } from '../switchboard/hidden-scripts.ts';
import type { AttachedTarget } from '../switchboard/targets.ts';
import { ExpectedTargets } from '../targets/expected-targets.ts';
import { ServiceWorkers } from '../targets/service-workers.ts';
import { StoppedTargets } from '../targets/stopped-targets.ts';
import { BrowserLanguages, isSettingEnough } from './browser-languages.ts';
import { ExclusiveOverrides } from './exclusive-overrides.ts';
import {
  type ExclusiveMethod,
  exclusiveMethods,
  exclusiveOverride,
  hostScripts,
  type OverriddenTarget,
  overridesFor,
  resets,
} from './overrides.ts';
import { PausedRequests } from './paused-requests.ts';
import type { Profile } from './profile.ts';
import { keepWindowSizes, placeWindow, screenUpdate, setScreen } from './screen.ts';

/** Parameters of `Target.createTarget`, as a client gave them. */
interface OpenPage {
  url: string;
  hidden?: unknown;
}

/** A target that the host is attached to. */
interface HostTarget extends OverriddenTarget {
  targetId: string;
  cdpSessionId: string;
  url: string;
  browserContextId: string | undefined;
  /** Resolves when it has answered the overrides that it got while it was stopped. */
  applying: Promise<void> | undefined;
  /** Whether the request of its script has yet to be given the languages. */
  awaitsScript: boolean;
}

/** What clients do with the targets that the host is attached to. */
export interface ClientTargets {
  /** Whether a client got the target stopped and has not resumed it. */
  keepsStopped(targetId: string, type: string): boolean;
  /** Whether a client is attached to it. */
  isAttached(targetId: string): boolean;
  /** A service worker that had stopped starts again, stopped before its first script. */
  restarted(targetId: string): void;
}

/** Hears of every target that the host attaches to. */
export interface TargetWatcher {
  /** Returns what the target has to be told before it runs. `parent`: the CDP session that it was found by way of. */
  targetAttached(target: AttachedTarget, parent: string | undefined): readonly Command[];
}

export interface ApplyOptions {
  logger: Logger;
  /** Cancels it. */
  signal: AbortSignal;
  languages?: BrowserLanguages;
  saving?: Saving | undefined;
  watcher?: TargetWatcher | undefined;
}

/** Enough to answer a create. */
const scriptDelayMs = 25;
const pageScriptMethod = 'Page.addScriptToEvaluateOnNewDocument';

const profiledTypes = new Set(['page', 'iframe', 'worker', 'shared_worker', 'service_worker']);

/**
 * Targets to attach to through a page: its own workers and frames. The browser itself announces shared and service
 * workers. A page announces a service worker before its script is requested, in time to rewrite the request.
 */
const pageFilter = ({ hasLanguages }: OverriddenTarget): Protocol.Target.TargetFilter => [
  { type: 'service_worker', exclude: hasLanguages },
  { type: 'shared_worker', exclude: true },
  {},
];

/**
 * Keeps a browser to its device profile: attaches to every new target, stopped before its first script, and sends the
 * overrides in one write. The target then runs, unless a client keeps it stopped, whether or not the overrides worked.
 */
export class AppliedProfile {
  readonly profile: Profile;
  /** What `Browser.getVersion` answers under the profile. */
  readonly version: BrowserVersion;
  readonly #browser: Browser;
  readonly #controller: Controller;
  readonly #areLanguagesSet: boolean;
  readonly #logger: Logger;
  readonly #paused: PausedRequests<HostTarget>;
  readonly #watcher: TargetWatcher | undefined;
  readonly #targets = new Map<string, HostTarget>();
  readonly #byCdpSession = new Map<string, HostTarget>();
  readonly #expected = new ExpectedTargets<HostTarget>();
  readonly #exclusive: ExclusiveOverrides<HostTarget>;
  readonly #stopped: StoppedTargets;
  readonly #serviceWorkers: ServiceWorkers;
  /** The browser's own context, which its first page is in. */
  #ownContextId: string | undefined;
  /** The screen of a headless browser. */
  #screenId: string | undefined;
  readonly #viewport = { wanted: false, isEmulated: false, isChanging: false };
  #clients: ClientTargets | undefined;
  /** Pages that existed already, until `sendScripts`. Undefined: scripts are sent with the other overrides. */
  #withoutScript: Set<string> | undefined = new Set();
  #scripts: ScriptIdentity[] | undefined;

  private constructor(
    browser: Browser,
    profile: Profile,
    {
      areLanguagesSet,
      logger,
      saving,
      watcher,
    }: { areLanguagesSet: boolean } & Pick<ApplyOptions, 'logger' | 'saving' | 'watcher'>,
  ) {
    this.profile = profile;
    this.version = { ...browser.version, userAgent: profile.userAgent };
    this.#browser = browser;
    this.#controller = browser.controller;
    this.#areLanguagesSet = areLanguagesSet;
    this.#logger = logger;
    this.#watcher = watcher;
    this.#paused = new PausedRequests({
      saving,
      languages: profile.languages,
      send: (target, command) => void this.#send(target, command),
    });
    this.#exclusive = new ExclusiveOverrides(
      (target, command) => this.#send(target, command),
      (method) => exclusiveOverride(profile, method),
    );
    this.#stopped = new StoppedTargets(
      this.#controller,
      (targetId, type) => this.#clients?.keepsStopped(targetId, type) ?? false,
    );
    this.#serviceWorkers = new ServiceWorkers(
      this.#controller,
      (targetId) => this.#clients?.isAttached(targetId) ?? false,
    );
    this.#listen();
  }

  /**
   * Resolves when the existing pages were sent their overrides, but for the scripts. They need not have answered: clients'
   * messages come later on the same pipe.
   */
  static async apply(browser: Browser, profile: Profile, options: ApplyOptions): Promise<AppliedProfile> {
    const { logger, signal, saving, watcher } = options;
    const { languages = new BrowserLanguages(browser, profile.languages) } = options;
    const areLanguagesSet = await languages.set(profile.languages, signal).then(
      () => true,
      (error: Error) => {
        logger.warn({ reason: error.message }, "the languages of the browser's own requests were not set");
        return false;
      },
    );
    signal.throwIfAborted();
    const applied = new AppliedProfile(browser, profile, { areLanguagesSet, logger, saving, watcher });
    await browser.controller.call('Target.setAutoAttach', autoAttach(), { signal });
    // With a saved profile there may be workers before it.
    const first = [...applied.#targets].find(([, { type }]) => type === 'page');
    if (first) applied.#screenId = await setScreen(browser, first, profile, signal);
    setTimeout(() => applied.sendScripts(), scriptDelayMs).unref();
    return applied;
  }

  /**
   * Sends the existing pages their scripts. Chromium reads them for some milliseconds, which no create is to wait for. So
   * they are sent when the create has been answered, or before the first client connects.
   */
  sendScripts(): void {
    for (const targetId of this.#withoutScript ?? []) this.restore(targetId, new Set([pageScriptMethod]));
    this.#withoutScript = undefined;
  }

  /**
   * Opens a page for a client as if from the browser's window, so that its first request has the profile. The page is
   * created with a script that does nothing: a blank page would be an entry in its history.
   */
  async openPage({ url, ...params }: OpenPage): Promise<{ targetId: string }> {
    // The host is not attached to a hidden page and cannot navigate it. Without a document it would answer nobody.
    const firstUrl = params.hidden === true ? 'about:blank' : 'javascript:void(0)';
    const opened = await this.#controller.call('Target.createTarget', {
      ...(params as object),
      url: firstUrl,
    });
    const target = this.#targets.get(opened.targetId);
    if (target) void this.#send(target, ['Page.navigate', { url }]);
    return opened;
  }

  /** Hides the host's scripts from a client in one of its CDP sessions. */
  hideScripts(clientCdpSessionId: string): void {
    this.#scripts ??= hostScripts(this.profile).map((source) => ({
      hash: createHash('sha256').update(source).digest('hex'),
      length: source.length,
    }));
    this.#browser.pipe.hideScripts(clientCdpSessionId, this.#scripts);
  }

  setClients(clients: ClientTargets): void {
    this.#clients = clients;
  }

  /**
   * Resolves when a target that was just found stopped has answered its overrides; undefined: it has. Chromium keeps no
   * order between two CDP sessions of a worker: a client's command to run could come before the overrides.
   */
  whenApplied(targetId: string): Promise<void> | undefined {
    const target = this.#targets.get(targetId);
    return target ? target.applying : this.#expected.wait(targetId).then((found) => found?.applying);
  }

  /** A client resumes a target. */
  resume(targetId: string): void {
    this.#stopped.resume(targetId);
  }

  /** Sends a command to run in a client's CDP session. The client gets an answer that it did not ask for. */
  runFor(clientCdpSessionId: string): void {
    this.#controller
      .call('Runtime.runIfWaitingForDebugger', {}, { cdpSessionId: clientCdpSessionId })
      .catch(() => {}); // The answer goes to the client.
  }

  /** A client has resumed targets or detached from them. `wasLastTab`: no client keeps a tab stopped any more. */
  clientReleased(targetIds: readonly string[], wasLastTab: boolean): void {
    this.#stopped.resumeUnheld(wasLastTab ? undefined : targetIds);
    for (const targetId of targetIds) this.#serviceWorkers.release(targetId);
  }

  /** A client closes a target. A service worker that has hardly started tells nobody that it has stopped. */
  closes(targetId: string): void {
    this.#serviceWorkers.closes(targetId);
  }

  /** Sends a target some of its overrides again. */
  restore(targetId: string, methods: ReadonlySet<string>): void {
    const target = this.#targets.get(targetId);
    if (!target) return;
    for (const command of overridesFor(this.profile, target)) {
      if (!methods.has(command[0])) continue;
      const reset = resets[command[0]];
      if (reset) void this.#send(target, reset);
      void this.#sendOverride(target, command);
    }
  }

  /**
   * Told whether a client emulates a viewport anywhere. Chromium draws a viewport soft and a pixel off when its pixel
   * ratio is not the screen's. So the screen's ratio is 1 meanwhile, as in a Chromium without overrides.
   */
  clientsEmulateViewport(emulate: boolean): void {
    if (this.profile.device.pixelRatio === 1 || !this.#screenId) return;
    this.#viewport.wanted = emulate;
    if (!this.#viewport.isChanging) void this.#changeScreen(this.#screenId);
  }

  /** Changes the screen until it is as it should be: clients may change their minds faster than windows their sizes. */
  async #changeScreen(screenId: string): Promise<void> {
    const viewport = this.#viewport;
    viewport.isChanging = true;
    while (viewport.wanted !== viewport.isEmulated) {
      const pages = [...this.#targets.values()].filter(({ type }) => type === 'page');
      const [page] = pages;
      if (!page) break;
      viewport.isEmulated = viewport.wanted;
      const update = screenUpdate(
        screenId,
        this.profile,
        viewport.wanted ? 1 : this.profile.device.pixelRatio,
      );
      const pageIds = pages.map(({ targetId }) => targetId);
      await keepWindowSizes(this.#controller, pageIds, () => void this.#send(page, update)).catch(() => {});
    }
    viewport.isChanging = false;
  }

  /** Clears an override of which a renderer has one for all its targets, so that a client can set its own. */
  clearExclusive(method: ExclusiveMethod): void {
    this.#exclusive.clear(method);
  }

  /** Sets it again, but for targets where a client has set it. */
  restoreCleared(method: ExclusiveMethod, isExcepted: (targetId: string) => boolean): void {
    this.#exclusive.restoreCleared(method, ({ targetId }) => isExcepted(targetId));
  }

  #listen(): void {
    const controller = this.#controller;
    controller.on('Target.attachedToTarget', (attached, parent) => this.#attached(attached, parent));
    controller.on('Target.detachedFromTarget', ({ sessionId }) => this.#detached(sessionId));
    controller.on('Fetch.requestPaused', (paused, cdpSessionId) => {
      const target = this.#byCdpSession.get(cdpSessionId ?? '');
      if (target) this.#paused.onPaused(paused, target);
    });
    controller.on('Inspector.targetReloadedAfterCrash', (_event, cdpSessionId) => {
      if (cdpSessionId !== undefined) this.#restarted(cdpSessionId);
    });
  }

  #attached(attached: AttachedTarget, parent: string | undefined): void {
    const { sessionId, targetInfo, waitingForDebugger } = attached;
    const { targetId, type } = targetInfo;
    const known = this.#targets.has(targetId);
    // Without a parent these are also the connections of clients: to the browser, or to a page that is known.
    if (parent === undefined && !waitingForDebugger && (known || !profiledTypes.has(type))) return;
    if (type === 'service_worker' && parent !== undefined) {
      this.#attachedThroughPage(targetId, sessionId, parent);
      return;
    }
    this.#controller.sessions.add(sessionId);
    const hasLanguages = this.#hasLanguages(targetInfo);
    const awaitsScript = type === 'service_worker' && !hasLanguages;
    const { url, browserContextId } = targetInfo;
    const target: HostTarget = {
      ...{ targetId, cdpSessionId: sessionId, type, url, browserContextId, hasLanguages, awaitsScript },
      applying: undefined,
    };
    if (!known && profiledTypes.has(type)) {
      this.#targets.set(targetId, target);
      this.#byCdpSession.set(sessionId, target);
      this.#paused.begin(target);
      for (const command of this.#watcher?.targetAttached(attached, parent) ?? [])
        void this.#send(target, command);
      void this.#send(target, ['Target.setAutoAttach', autoAttach(pageFilter(target))]);
      this.#sendOverrides(target, waitingForDebugger);
      if (awaitsScript) void target.applying?.then(() => this.#paused.scriptArrived(target));
      this.#serviceWorkers.attached(targetInfo, sessionId);
    }
    if (!known && type === 'page') void placeWindow(this.#browser, targetId, this.profile).catch(() => {});
    if (waitingForDebugger) this.#stopped.add(targetId, type, sessionId);
    this.#expected.attached(targetId, target);
  }

  #sendOverrides(target: HostTarget, isStopped: boolean): void {
    // A worker that runs already needs its script at once.
    const later = !isStopped && target.type === 'page' ? this.#withoutScript : undefined;
    later?.add(target.targetId);
    const sent = overridesFor(this.profile, target)
      .filter(([method]) => !(later && method === pageScriptMethod))
      .map((command) => this.#sendOverride(target, command));
    if (!isStopped) return;
    // Answers come in order.
    target.applying = sent.at(-1)?.then(() => {
      target.applying = undefined;
    });
  }

  #hasLanguages({ browserContextId }: AttachedTarget['targetInfo']): boolean {
    this.#ownContextId ??= browserContextId;
    const own = browserContextId === this.#ownContextId;
    return this.#areLanguagesSet && isSettingEnough(this.profile.languages, { own });
  }

  /** Detaches once the browser has announced the worker as well: only then is its script requested. */
  #attachedThroughPage(targetId: string, sessionId: string, parent: string): void {
    const detach = () =>
      this.#controller
        .call('Target.detachFromTarget', { sessionId }, { cdpSessionId: parent })
        .catch(() => {}); // Gone already.
    if (this.#targets.has(targetId)) void detach();
    else void this.#expected.wait(targetId).then(detach);
  }

  #restarted(cdpSessionId: string): void {
    const targetId = this.#serviceWorkers.restarted(cdpSessionId);
    const target = targetId === undefined ? undefined : this.#targets.get(targetId);
    if (targetId === undefined || !target) return;
    this.#clients?.restarted(targetId);
    this.#sendOverrides(target, true);
    this.#stopped.add(targetId, target.type, cdpSessionId);
  }

  #detached(cdpSessionId: string): void {
    if (!this.#controller.sessions.delete(cdpSessionId)) return;
    this.#controller.sessionEnded(cdpSessionId);
    this.#stopped.forget(cdpSessionId);
    const target = this.#byCdpSession.get(cdpSessionId);
    if (!target) return;
    const { targetId } = target;
    this.#byCdpSession.delete(cdpSessionId);
    this.#targets.delete(targetId);
    this.#serviceWorkers.detached(target);
    this.#withoutScript?.delete(targetId);
    this.#exclusive.detached(target);
  }

  #sendOverride(target: HostTarget, command: Command): Promise<unknown> {
    const exclusive = exclusiveMethods.find((method) => method === command[0]);
    return exclusive ? this.#exclusive.set(target, exclusive) : this.#send(target, command);
  }

  /** Resolves to whether it was carried out. */
  async #send(
    { cdpSessionId, type }: Pick<HostTarget, 'cdpSessionId' | 'type'>,
    [method, params]: Command,
  ): Promise<boolean> {
    try {
      await this.#controller.call(method, params, { cdpSessionId });
      return true;
    } catch (error) {
      this.#logger.debug({ type, method, reason: (error as Error).message }, 'not applied to a target');
      return false;
    }
  }
}

function autoAttach(filter?: Protocol.Target.TargetFilter): Protocol.Target.SetAutoAttachRequest {
  return { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, ...(filter && { filter }) };
}
