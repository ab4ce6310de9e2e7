import { once } from 'node:events';
import type { FileHandle } from 'node:fs/promises';
import type { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { EndReason } from '@turnpike/contract/session';
import { abortable } from '../abortable.ts';
import type { Display } from '../display/display-socket.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { Sandboxes } from '../sandbox/sandboxes.ts';
import type { Switchboard } from '../switchboard/switchboard.ts';
import { Controller, type TargetInfo } from './controller.ts';
import { DevToolsPipe, type PipeListener } from './devtools-pipe.ts';
import { type BrowserStart, chromiumFlags } from './flags.ts';
import { profileScript } from './new-profile.ts';

export interface BrowserOptions {
  sandboxes: Sandboxes;
  /** Carries its DevTools messages. */
  switchboard: Switchboard;
  chromium: string;
  start: BrowserStart;
  uid: number | undefined;
  /** What a session before left of its profile; undefined: it begins with nothing. */
  archive?: Buffer | undefined;
  /** What the host may hold for its session at once. */
  sessionBufferBytes: number;
  /** Takes the connections that the browser opens; called before there can be any. */
  onListener(listener: Server): void;
}

/** What `Browser.getVersion` answers. */
export interface BrowserVersion {
  protocolVersion: string;
  product: string;
  revision: string;
  userAgent: string;
  jsVersion: string;
}

export interface Gone {
  reason: EndReason;
  signal?: string;
}

/** Its pipe closes a moment before it is known how its process ended. */
const lastWordMs = 500;

/** Hears which CDP sessions clients have. */
export type ClientSessions = Pick<PipeListener, 'attached' | 'detached'>;

/** A sealed Chromium that is up and has its first page. */
export class Browser {
  readonly pipe: DevToolsPipe;
  readonly controller: Controller;
  /** Resolves when the browser is no more, whoever ended it. */
  readonly gone: Promise<void>;
  readonly #sandbox: Sandbox;
  #version: BrowserVersion | undefined;
  #clientSessions: ClientSessions | undefined;

  private constructor(sandbox: Sandbox, switchboard: Switchboard, bufferBytes: number) {
    this.#sandbox = sandbox;
    const listener: PipeListener = {
      message: (text) => this.controller.receive(text),
      attached: (clientId, target, parent) => this.#clientSessions?.attached(clientId, target, parent),
      detached: (clientId, cdpSessionId) => this.#clientSessions?.detached(clientId, cdpSessionId),
    };
    this.pipe = new DevToolsPipe({ switchboard, ends: sandbox.devtools, listener, bufferBytes });
    this.controller = new Controller(this.pipe);
    this.gone = Promise.race([this.pipe.ended, sandbox.exited]).then(() => this.controller.close());
  }

  static async start(options: BrowserOptions, signal: AbortSignal) {
    const { sandboxes, switchboard, chromium, start, uid, archive, onListener } = options;
    signal.throwIfAborted();
    const command = [chromium, ...chromiumFlags(start)] as const;
    const display = !start.headless;
    const prepare = profileScript(start, { saved: archive !== undefined });
    const createPipe = () => switchboard.createPipe();
    const sandbox = await sandboxes.start({ prepare, command, display, uid, archive, createPipe });
    await using undo = new AsyncDisposableStack();
    const browser = new Browser(sandbox, switchboard, options.sessionBufferBytes);
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

  /** Undefined for a headless one. */
  get display(): Display | undefined {
    return this.#sandbox.display;
  }

  /** The browser's own home, for the host; whoever opens it closes it. */
  openHome(): Promise<FileHandle> {
    return this.#sandbox.openHome();
  }

  tellOfSessions(told: ClientSessions): void {
    this.#clientSessions = told;
  }

  /** Of a browser that is gone by itself: how it went. */
  async whyGone(): Promise<Gone> {
    // It quits in order when its pipe closes, but nobody told it to.
    if (this.pipe.isLost) return { reason: 'browser_crashed' };
    const exit = await Promise.race([this.#sandbox.exited, delay(lastWordMs, undefined, { ref: false })]);
    const signal = exit?.signal ?? undefined;
    if (signal === 'SIGKILL' && this.#sandbox.ranOutOfMemory()) return { reason: 'out_of_memory', signal };
    if (exit?.code === 0) return { reason: 'browser_closed' };
    return { reason: 'browser_crashed', ...(signal && { signal }) };
  }

  /** Has it write what it has in memory to its profile, and end. False: it did not in time, or died of it. */
  async quit(timeoutMs: number): Promise<boolean> {
    this.#sandbox.unguard();
    this.controller.call('Browser.close').catch(() => {}); // Its end is the answer.
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

  /** Clients expect a page to be there; it appears a moment after DevTools answers. */
  async #comeUp(): Promise<void> {
    const pageThere = this.#firstPage();
    await this.controller.call('Target.setDiscoverTargets', {
      discover: true,
      filter: [{ type: 'page' }],
    });
    this.#version = await this.controller.call<BrowserVersion>('Browser.getVersion');
    await Promise.race([pageThere, this.gone.then(() => Promise.reject(new Error('The browser is gone')))]);
    await this.controller.call('Target.setDiscoverTargets', { discover: false });
  }

  #firstPage(): Promise<[{ targetInfo: TargetInfo }]> {
    return once(this.controller, 'Target.targetCreated') as Promise<[{ targetInfo: TargetInfo }]>;
  }
}

function explanation(sandbox: Sandbox): string {
  const complaint = sandbox.complaint().trim();
  return complaint === '' ? '' : `: ${complaint}`;
}
