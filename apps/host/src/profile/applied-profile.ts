import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import type { Browser, BrowserVersion } from '../chromium/browser.ts';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';
import type { ScriptIdentity } from '../filters/hidden-scripts.ts';
import type { Saving } from '../saving/saving.ts';
import type { Target } from '../targets/target.ts';
import type { Targets } from '../targets/targets.ts';
import { BrowserLanguages, isSettingEnough } from './browser-languages.ts';
import { ExclusiveOverrides } from './exclusive-overrides.ts';
import {
  type ExclusiveMethod,
  exclusiveMethods,
  exclusiveOverride,
  hostScripts,
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

export interface ApplyOptions {
  logger: Logger;
  /** Cancels it. */
  signal: AbortSignal;
  /** Not started yet. */
  targets: Targets;
  languages?: BrowserLanguages;
  saving?: Saving | undefined;
}

/** Enough to answer a create. */
const scriptDelayMs = 25;
const pageScriptMethod = 'Page.addScriptToEvaluateOnNewDocument';

/**
 * Keeps a browser to its device profile: sends every new target the overrides, in one write, before it runs. It runs
 * whether or not the overrides worked.
 */
export class AppliedProfile {
  readonly profile: Profile;
  /** What `Browser.getVersion` answers under the profile. */
  readonly version: BrowserVersion;
  readonly #browser: Browser;
  readonly #controller: Controller;
  readonly #areLanguagesSet: boolean;
  readonly #targets: Targets;
  readonly #paused: PausedRequests;
  readonly #exclusive: ExclusiveOverrides<Target>;
  /** The browser's own context, which its first page is in. */
  #ownContextId: string | undefined;
  /** The screen of a headless browser. */
  #screenId: string | undefined;
  readonly #viewport = { wanted: false, isEmulated: false, isChanging: false };
  /** Pages that existed already, until `sendScripts`. Undefined if scripts are sent with the other overrides. */
  #withoutScript: WeakSet<Target> | undefined = new WeakSet();
  #scripts: ScriptIdentity[] | undefined;

  private constructor(
    browser: Browser,
    profile: Profile,
    {
      areLanguagesSet,
      targets,
      saving,
    }: { areLanguagesSet: boolean } & Pick<ApplyOptions, 'targets' | 'saving'>,
  ) {
    this.profile = profile;
    this.version = { ...browser.version, userAgent: profile.userAgent };
    this.#browser = browser;
    this.#controller = browser.controller;
    this.#areLanguagesSet = areLanguagesSet;
    this.#targets = targets;
    this.#paused = new PausedRequests({ saving, languages: profile.languages, targets });
    this.#exclusive = new ExclusiveOverrides(
      (target, command) => targets.send(target, command),
      (method) => exclusiveOverride(profile, method),
    );
    this.#listen();
  }

  /**
   * Resolves when the existing pages were sent their overrides, but for the scripts. They need not have answered: clients'
   * messages come later on the same pipe.
   */
  static async apply(browser: Browser, profile: Profile, options: ApplyOptions): Promise<AppliedProfile> {
    const { logger, signal, saving, targets } = options;
    const { languages = new BrowserLanguages(browser, profile.languages) } = options;
    const areLanguagesSet = await languages.set(profile.languages, signal).then(
      () => true,
      (error: Error) => {
        logger.warn({ reason: error.message }, "the languages of the browser's own requests were not set");
        return false;
      },
    );
    signal.throwIfAborted();
    const applied = new AppliedProfile(browser, profile, { areLanguagesSet, targets, saving });
    await targets.start(signal);
    const [first] = targets.pages();
    if (first) {
      applied.#screenId = await setScreen(browser, first, profile, signal);
      // With a blank page the address bar has the focus, and would keep it when a client navigates.
      void targets.send(first, ['Page.bringToFront', {}]);
    }
    setTimeout(() => applied.sendScripts(), scriptDelayMs).unref();
    return applied;
  }

  /**
   * Sends the existing pages their scripts. Chromium reads them for some milliseconds, which no create is to wait for. So
   * they are sent when the create has been answered, or before the first client connects.
   */
  sendScripts(): void {
    const withoutScript = this.#withoutScript;
    this.#withoutScript = undefined;
    if (!withoutScript) return;
    for (const page of this.#targets.pages()) {
      if (withoutScript.has(page)) this.#restore(page, new Set([pageScriptMethod]));
    }
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
    if (target) void this.#targets.send(target, ['Page.navigate', { url }]);
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

  /** Sends a target some of its overrides again. */
  restore(targetId: string, methods: ReadonlySet<string>): void {
    const target = this.#targets.get(targetId);
    if (target) this.#restore(target, methods);
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
      const pages = this.#targets.pages();
      const [page] = pages;
      if (!page) break;
      viewport.isEmulated = viewport.wanted;
      const update = screenUpdate(
        screenId,
        this.profile,
        viewport.wanted ? 1 : this.profile.device.pixelRatio,
      );
      const pageIds = pages.map(({ targetId }) => targetId);
      await keepWindowSizes(this.#controller, pageIds, () => void this.#targets.send(page, update)).catch(
        () => {},
      );
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
    const targets = this.#targets;
    // Before the recorder's listener: of two commands that enable a domain the last one counts, which is the recorder's.
    targets.prependListener('attached', (target) =>
      this.#paused.begin(target, {
        awaitsScript: target.type === 'service_worker' && !this.#hasLanguages(target),
      }),
    );
    targets.on('attached', (target) => this.#attached(target));
    targets.on('restarted', (target) => this.#sendOverrides(target));
    targets.on('detached', (target) => this.#exclusive.detached(target));
    this.#controller.on('Fetch.requestPaused', (paused, cdpSessionId) => {
      const target = targets.ofSession(cdpSessionId);
      if (target) this.#paused.onPaused(paused, target);
    });
  }

  #attached(target: Target): void {
    this.#targets.attachThrough(target, { serviceWorkers: !this.#hasLanguages(target) });
    this.#sendOverrides(target);
    void target.applying?.then(() => this.#paused.scriptArrived(target));
    const { type, targetId } = target;
    if (type === 'page') void placeWindow(this.#browser, targetId, this.profile).catch(() => {});
  }

  #sendOverrides(target: Target): void {
    const isStopped = target.state === 'stopped';
    // A worker that runs already needs its script at once.
    const later = !isStopped && target.type === 'page' ? this.#withoutScript : undefined;
    later?.add(target);
    const sent = this.#overridesFor(target)
      .filter(([method]) => !(later && method === pageScriptMethod))
      .map((command) => this.#sendOverride(target, command));
    if (!isStopped) return;
    // Answers come in order.
    target.applying = sent.at(-1)?.then(() => {
      target.applying = undefined;
    });
  }

  #restore(target: Target, methods: ReadonlySet<string>): void {
    for (const command of this.#overridesFor(target)) {
      if (!methods.has(command[0])) continue;
      const reset = resets[command[0]];
      if (reset) void this.#targets.send(target, reset);
      void this.#sendOverride(target, command);
    }
  }

  #overridesFor(target: Target): Command[] {
    return overridesFor(this.profile, { type: target.type, hasLanguages: this.#hasLanguages(target) });
  }

  #hasLanguages({ browserContextId }: Target): boolean {
    this.#ownContextId ??= browserContextId;
    const own = browserContextId === this.#ownContextId;
    return this.#areLanguagesSet && isSettingEnough(this.profile.languages, { own });
  }

  #sendOverride(target: Target, command: Command): Promise<unknown> {
    const exclusive = exclusiveMethods.find((method) => method === command[0]);
    return exclusive ? this.#exclusive.set(target, exclusive) : this.#targets.send(target, command);
  }
}
