import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { EndReason } from '@turnpike/contract/session';
import { abortable } from '@turnpike/process/abortable';
import type { Display } from '../display/display-socket.ts';
import type { TappedMessage } from '../filters/message-tap.ts';
import { type FontArchives, fontsScript } from '../fonts/font-archive.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import type { Switchboard } from '../switchboard/switchboard.ts';
import type { BrowserStart } from './browser-start.ts';
import type { BrowserWork } from './browser-work.ts';
import { Controller } from './controller.ts';
import { DevToolsPipe, type PipeListener } from './devtools-pipe.ts';
import { chromiumFlags } from './flags.ts';
import { profileScript } from './new-profile.ts';
import { policiesTrusting } from './trusted-authorities.ts';

export interface BrowserOptions {
  sandboxes: Sandboxes;
  /** Undefined if it has the machine's fonts. */
  fonts?: FontArchives | undefined;
  /** Whose work it is to carry out what it causes. */
  work: BrowserWork;
  /** Carries its DevTools messages. */
  switchboard: Switchboard;
  chromium: string;
  start: BrowserStart;
  uid: number | undefined;
  /** A saved profile to start with; undefined means an empty one. */
  archive?: Buffer | undefined;
  /** Authorities that it trusts besides the usual ones, in PEM. */
  trustedCa?: string | undefined;
  /** How much the host may buffer for its session. */
  sessionBufferBytes: number;
  /** Takes the listening socket of the browser's forwarder, before the browser connects to it. */
  onListener(listener: Server): void;
}

/** The answer of `Browser.getVersion`. */
export interface BrowserVersion {
  protocolVersion: string;
  product: string;
  revision: string;
  userAgent: string;
  jsVersion: string;
}

export interface BrowserExit {
  reason: EndReason;
  signal?: string;
}

/** The pipe closes a moment before the exit of the process is known. */
const exitDelayMs = 500;

/** Hears which CDP sessions clients have. */
export type ClientSessionListener = Pick<PipeListener, 'attached' | 'detached'>;

/** A sandboxed Chromium that is up and has its first page. */
export class Browser {
  readonly pipe: DevToolsPipe;
  /** The host's work for it. */
  readonly work: BrowserWork;
  readonly controller: Controller;
  /** Resolves when the browser has exited, whatever ended it. */
  readonly gone: Promise<void>;
  readonly #sandbox: Sandbox;
  #version: BrowserVersion | undefined;
  #clientSessions: ClientSessionListener | undefined;
  #onTapped: ((message: TappedMessage) => void) | undefined;

  private constructor(sandbox: Sandbox, { switchboard, work, sessionBufferBytes }: BrowserOptions) {
    this.#sandbox = sandbox;
    this.work = work;
    work.endWith(() => void sandbox.kill().catch(() => {})); // Whoever has the browser kills it too, and hears of errors.
    const listener: PipeListener = {
      message: (text) => this.controller.receive(text),
      attached: (clientId, target, parent) => this.#clientSessions?.attached(clientId, target, parent),
      detached: (clientId, cdpSessionId) => this.#clientSessions?.detached(clientId, cdpSessionId),
      tapped: (message) => this.#onTapped?.(message),
    };
    this.pipe = new DevToolsPipe({
      switchboard,
      work,
      listener,
      ends: sandbox.devtools,
      bufferBytes: sessionBufferBytes,
    });
    this.controller = new Controller(this.pipe);
    this.gone = Promise.race([this.pipe.ended, sandbox.exited]).then(() => this.controller.close());
  }

  static async start(options: BrowserOptions, signal: AbortSignal) {
    const { sandboxes, switchboard, chromium, start, uid, archive, trustedCa, onListener } = options;
    signal.throwIfAborted();
    const command = [chromium, ...chromiumFlags(start)] as const;
    const display = !start.headless;
    const fonts = await options.fonts?.get(start.os);
    const prepare = [
      ...profileScript(start, { saved: archive !== undefined }),
      ...(fonts ? fontsScript : []),
    ];
    const createPipe = () => switchboard.createPipe();
    const policies = trustedCa === undefined ? undefined : policiesTrusting(trustedCa);
    const given = { uid, archive, fonts, policies };
    const sandbox = await sandboxes.start({ prepare, command, display, ...given, createPipe });
    await using undo = new AsyncDisposableStack();
    const browser = new Browser(sandbox, options);
    undo.defer(() => browser.kill());
    const started = Promise.all([sandbox.listener.then(onListener), browser.#comeUp()]);
    try {
      await abortable(started, signal);
      await sandbox.guard();
    } catch (error) {
      if (!signal.aborted && error instanceof Error) error.message += explanation(sandbox);
      throw error;
    }
    undo.move();
    return browser;
  }

  get version(): BrowserVersion {
    if (!this.#version) throw new Error('The browser is not up');
    return this.#version;
  }

  /** Undefined if the browser is headless. */
  get display(): Display | undefined {
    return this.#sandbox.display;
  }

  /** Whether it has policies, and no network but its forwarder. */
  get isSandboxed(): boolean {
    return this.#sandbox.isSandboxed;
  }

  /** Connects to the X server of its display. The caller closes the connection. */
  connectX(signal: AbortSignal): Promise<Socket> {
    return this.#sandbox.connectX(signal);
  }

  /** Opens the home directory inside the sandbox. The caller closes it. */
  openHome(): Promise<FileHandle> {
    return this.#sandbox.openHome();
  }

  /** Stops its processes until the result is disposed, so that its files do not change. */
  stop(): Promise<Disposable> {
    return this.#sandbox.stop();
  }

  /** The control group that it is in; undefined if the system has none for it. */
  get group(): Sandbox['group'] {
    return this.#sandbox.group;
  }

  /** Starts Node inside the sandbox, with a program: see `sandbox/workers.ts`. */
  startWorker(...args: Parameters<Sandbox['startWorker']>): ReturnType<Sandbox['startWorker']> {
    return this.#sandbox.startWorker(...args);
  }

  /**
   * Opens what the kernel says about its sandbox. The caller disposes it. Returns undefined if there is nothing to say.
   */
  openIsolation(): ReturnType<Sandbox['openIsolation']> {
    return this.#sandbox.openIsolation();
  }

  tellOfSessions(listener: ClientSessionListener): void {
    this.#clientSessions = listener;
  }

  /** Has clients' commands and their answers reported. Call before there are clients. */
  tap(onTapped: (message: TappedMessage) => void): void {
    this.#onTapped = onTapped;
    this.pipe.tap();
  }

  /** Says how a browser ended that nobody killed. */
  async exitReason(): Promise<BrowserExit> {
    if (this.work.isStalled) return { reason: 'stalled' };
    // A browser whose pipe was lost quits in order, although nobody told it to.
    if (this.pipe.lost) return { reason: this.pipe.lost === 'stalled' ? 'stalled' : 'browser_crashed' };
    const exit = await Promise.race([this.#sandbox.exited, delay(exitDelayMs, undefined, { ref: false })]);
    const signal = exit?.signal ?? undefined;
    if (signal === 'SIGKILL' && this.#sandbox.ranOutOfMemory()) return { reason: 'out_of_memory', signal };
    if (exit?.code === 0) return { reason: 'browser_closed' };
    return { reason: 'browser_crashed', ...(signal && { signal }) };
  }

  /** Makes the browser write its memory to the profile and exit. False: it did not exit in time, or crashed. */
  async quit(timeoutMs: number): Promise<boolean> {
    this.#sandbox.unguard();
    this.controller.call('Browser.close', {}).catch(() => {}); // It exits instead of answering.
    const late = new AbortController();
    const tooLate = delay(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined);
    const exit = await Promise.race([this.#sandbox.exited, tooLate]);
    late.abort();
    return exit?.code === 0;
  }

  /** Resolves when no process is left and everything the browser wrote has been delivered. */
  async kill(): Promise<void> {
    await this.#sandbox.kill();
    await this.pipe.ended;
  }

  /** Waits for the first page, which clients expect. It appears a moment after DevTools answers. */
  async #comeUp(): Promise<void> {
    const firstPage = once(this.controller, 'Target.targetCreated');
    await this.controller.call('Target.setDiscoverTargets', {
      discover: true,
      filter: [{ type: 'page' }],
    });
    this.#version = await this.controller.call('Browser.getVersion', {});
    await Promise.race([firstPage, this.gone.then(() => Promise.reject(new Error('The browser is gone')))]);
    await this.controller.call('Target.setDiscoverTargets', { discover: false });
  }
}

function explanation(sandbox: Sandbox): string {
  const output = sandbox.errorOutput().trim();
  return output === '' ? '' : `: ${output}`;
}
