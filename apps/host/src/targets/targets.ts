import { EventEmitter } from 'node:events';
import type { Protocol } from 'devtools-protocol';
import type { Logger } from 'pino';
import type { Controller } from '../chromium/controller.ts';
import type { Command } from '../chromium/protocol.ts';
import type { AttachedTarget } from '../switchboard/targets.ts';
import { autoAttach, throughTarget } from './auto-attach.ts';
import { type ClientSession, ClientSessions } from './client-sessions.ts';
import { ExpectedTargets } from './expected-targets.ts';
import { ServiceWorkers } from './service-workers.ts';
import { StoppedTargets } from './stopped-targets.ts';
import { changeTarget, type Target, type TargetLookup } from './target.ts';

/** Listeners are called in the order in which they were added. */
interface TargetEvents {
  /** The host has attached to a target. What a listener sends now comes before the target runs, if it is stopped. */
  attached: [target: Target];
  /** A service worker that had stopped starts again, stopped before its first script. */
  restarted: [target: Target];
  detached: [target: Target];
  /** A page has another URL or title, or may have. Only after `discoverPages`. */
  changed: [target: Target, info: Protocol.Target.TargetInfo];
  /** A page has crashed. Only after `discoverPages`. */
  crashed: [target: Target];
  /** CDP sessions of clients have ended. The targets that they kept stopped are resumed after this. */
  clientsDetached: [sessions: readonly ClientSession[]];
  /** The browser has ended the CDP session that stands for a client's connection. */
  rootDetached: [clientId: number];
}

/** What the host attaches to for more than to resume it. */
const types = new Set(['page', 'iframe', 'worker', 'shared_worker', 'service_worker']);

/** One of the host's own CDP sessions. */
interface HostSession {
  targetId: string;
  /** Undefined if the host has another session with the target, or has nothing to do there. */
  target: Target | undefined;
}

/**
 * Knows the targets of a browser: which there are, in which state, and attached by whom. Attaches the host to every new
 * target, stopped before its first script, and resumes it when no client keeps it stopped. Nobody else listens to
 * DevTools' `Target` domain in a session, or keeps a list of targets.
 */
export class Targets extends EventEmitter<TargetEvents> implements TargetLookup {
  readonly clients = new ClientSessions();
  readonly #controller: Controller;
  readonly #logger: Logger;
  readonly #byId = new Map<string, Target>();
  readonly #sessions = new Map<string, HostSession>();
  readonly #expected = new ExpectedTargets();
  readonly #stopped: StoppedTargets;
  readonly #serviceWorkers: ServiceWorkers;
  #tabs = 0;

  constructor(controller: Controller, logger: Logger) {
    super();
    this.#controller = controller;
    this.#logger = logger;
    this.#stopped = new StoppedTargets(
      controller,
      (targetId, type) => this.clients.keepsStopped(targetId, type),
      (targetId) => this.#onResumed(targetId),
    );
    this.#serviceWorkers = new ServiceWorkers(controller, this, (targetId) =>
      this.clients.isAttached(targetId),
    );
  }

  /** Resolves when the host is attached to the targets that exist. */
  async start(signal: AbortSignal): Promise<void> {
    const controller = this.#controller;
    controller.on('Target.attachedToTarget', (attached, parent) => this.#onAttached(attached, parent));
    controller.on('Target.detachedFromTarget', ({ sessionId }) => this.#onDetached(sessionId));
    controller.on('Inspector.targetReloadedAfterCrash', (_event, cdpSessionId) => {
      const target = this.ofSession(cdpSessionId);
      if (target?.type === 'service_worker') this.#onRestarted(target);
    });
    await controller.call('Target.setAutoAttach', autoAttach, { signal });
  }

  /** Has `changed` and `crashed` emitted. */
  discoverPages(): void {
    const controller = this.#controller;
    controller.on('Target.targetInfoChanged', ({ targetInfo }) => this.#onChanged(targetInfo));
    controller.on('Target.targetCrashed', ({ targetId }) => {
      const target = this.#byId.get(targetId);
      if (target) this.emit('crashed', target);
    });
    const discovery = { discover: true, filter: [{ type: 'page' }] };
    controller.call('Target.setDiscoverTargets', discovery).catch(() => {}); // The browser is gone.
  }

  /** Emits `changed` for all pages: Chromium itself reports only the titles of new ones. Rejects if the browser is gone. */
  async lookAtPages(): Promise<void> {
    for (const info of await this.describePages()) this.#onChanged(info);
  }

  /** The pages as they are now, those that are new included. Rejects if the browser is gone, or late. */
  async describePages(timeoutMs?: number): Promise<Protocol.Target.TargetInfo[]> {
    const filter = [{ type: 'page' }];
    const timeout = timeoutMs === undefined ? {} : { timeoutMs };
    return (await this.#controller.call('Target.getTargets', { filter }, timeout)).targetInfos;
  }

  /** Whether a page is in the front of its window. */
  async isVisible({ cdpSessionId }: Target, timeoutMs: number): Promise<boolean> {
    const question = { expression: 'document.visibilityState', returnByValue: true };
    try {
      const { result } = await this.#controller.call('Runtime.evaluate', question, {
        cdpSessionId,
        timeoutMs,
      });
      return result.value === 'visible';
    } catch {
      return false; // It is gone, or busy.
    }
  }

  /** Attaches to a target's own frames and workers as well. */
  attachThrough(target: Target, { serviceWorkers }: { serviceWorkers: boolean }): void {
    void this.send(target, ['Target.setAutoAttach', throughTarget(serviceWorkers)]);
  }

  get(targetId: string | undefined): Target | undefined {
    return targetId === undefined ? undefined : this.#byId.get(targetId);
  }

  ofSession(cdpSessionId: string | undefined): Target | undefined {
    return cdpSessionId === undefined ? undefined : this.#sessions.get(cdpSessionId)?.target;
  }

  /** The target that a client's CDP session is with. */
  ofClientSession(cdpSessionId: string): Target | undefined {
    return this.get(this.clients.get(cdpSessionId)?.targetId);
  }

  pages(): Target[] {
    return [...this.#byId.values()].filter(({ type }) => type === 'page');
  }

  /** How many targets and CDP sessions it knows of, the host's and clients'. */
  get size(): { targets: number; sessions: number; stopped: number; clients: number } {
    const { size: targets } = this.#byId;
    const { size: sessions } = this.#sessions;
    return { targets, sessions, stopped: this.#stopped.size, clients: this.clients.size };
  }

  /** Sends a target a command. Resolves to whether it was carried out. */
  async send({ cdpSessionId, type }: Target, [method, params]: Command): Promise<boolean> {
    try {
      await this.#controller.call(method, params, { cdpSessionId });
      return true;
    } catch (error) {
      this.#logger.debug({ type, method, reason: (error as Error).message }, 'not applied to a target');
      return false;
    }
  }

  /**
   * Resolves when a target that was just found stopped has answered what it was sent; undefined if it has. Chromium
   * keeps no order between two CDP sessions of a worker: a client's command to run could come before the host's
   * commands.
   */
  whenApplied(targetId: string): Promise<void> | undefined {
    const target = this.#byId.get(targetId);
    return target ? target.applying : this.#expected.wait(targetId).then((found) => found?.applying);
  }

  /** CDP sessions of clients have ended. */
  clientsDetached(cdpSessionIds: Iterable<string>): void {
    const { sessions, wasLastTab } = this.clients.detached(cdpSessionIds);
    this.emit('clientsDetached', sessions);
    this.#released(new Set(sessions.map(({ targetId }) => targetId)), wasLastTab);
  }

  /** A client closes a target. A service worker that has hardly started tells nobody that it has stopped. */
  clientCloses(targetId: string): void {
    this.#serviceWorkers.closes(targetId);
  }

  /** A client resumes a target. `pass` sends on its command. */
  clientResumes(session: ClientSession, pass: () => void): void {
    const { targetId } = session;
    const wasLastTab = this.clients.keepStopped(session, false);
    // The client's first: it is answered before the target does anything, as by any Chromium.
    pass();
    this.#stopped.resume(targetId);
    this.#released([targetId], wasLastTab);
  }

  /** Sends a command to run in a client's CDP session. The client gets an answer that it did not ask for. */
  runFor({ cdpSessionId }: ClientSession): void {
    this.#controller.call('Runtime.runIfWaitingForDebugger', {}, { cdpSessionId }).catch(() => {}); // The answer goes to the client.
  }

  /** Clients have resumed targets or detached from them. `wasLastTab`: no client keeps a tab stopped any more. */
  #released(targetIds: Iterable<string>, wasLastTab: boolean): void {
    this.#stopped.resumeUnheld(wasLastTab ? undefined : targetIds);
    for (const targetId of targetIds) this.#serviceWorkers.release(targetId);
  }

  #onAttached(attached: AttachedTarget, parent: string | undefined): void {
    const { sessionId, targetInfo, waitingForDebugger } = attached;
    const { targetId, type } = targetInfo;
    if (this.#sessions.has(sessionId)) return; // Chromium says so once.
    const isNew = types.has(type) && !this.#byId.has(targetId);
    // Without a parent these are also the connections of clients: to the browser, or to a page that is known.
    if (parent === undefined && !waitingForDebugger && !isNew) return;
    if (type === 'service_worker' && parent !== undefined) {
      this.#attachedThroughPage(targetId, sessionId, parent);
      return;
    }
    this.#controller.sessions.add(sessionId);
    const target = isNew ? this.#newTarget(attached, parent) : undefined;
    this.#sessions.set(sessionId, { targetId, target });
    if (target) {
      this.#byId.set(targetId, target);
      this.emit('attached', target);
      this.#serviceWorkers.attached(target);
    }
    if (waitingForDebugger) this.#stopped.add(targetId, type, sessionId);
    this.#expected.attached(targetId, this.#byId.get(targetId));
  }

  #newTarget(
    { sessionId, targetInfo, waitingForDebugger }: AttachedTarget,
    parent: string | undefined,
  ): Target {
    const { targetId, type, url, openerId, browserContextId } = targetInfo;
    if (type === 'page') this.#tabs += 1;
    const tab = type === 'page' ? this.#tabs : this.ofSession(parent)?.tab;
    return {
      targetId,
      type,
      url,
      openerId,
      browserContextId,
      cdpSessionId: sessionId,
      tab,
      state: waitingForDebugger ? 'stopped' : 'running',
      applying: undefined,
    };
  }

  #onResumed(targetId: string): void {
    const target = this.#byId.get(targetId);
    if (target) changeTarget(target, 'resume');
  }

  /** Detaches once the browser has announced the worker as well: only then is its script requested. */
  #attachedThroughPage(targetId: string, sessionId: string, parent: string): void {
    const detach = () =>
      this.#controller
        .call('Target.detachFromTarget', { sessionId }, { cdpSessionId: parent })
        .catch(() => {}); // Gone already.
    if (this.#byId.has(targetId)) void detach();
    else void this.#expected.wait(targetId).then(detach);
  }

  #onRestarted(target: Target): void {
    if (!changeTarget(target, 'restart')) return;
    const { targetId, type, cdpSessionId } = target;
    this.clients.restarted(targetId);
    this.emit('restarted', target);
    this.#stopped.add(targetId, type, cdpSessionId);
  }

  #onDetached(cdpSessionId: string): void {
    const session = this.#sessions.get(cdpSessionId);
    if (session) this.#forget(cdpSessionId, session);
    const clientId = this.clients.ofRoot(cdpSessionId);
    if (clientId !== undefined) this.emit('rootDetached', clientId);
  }

  #forget(cdpSessionId: string, { targetId, target }: HostSession): void {
    this.#sessions.delete(cdpSessionId);
    this.#controller.sessionEnded(cdpSessionId);
    this.#stopped.forget(targetId, cdpSessionId);
    if (!target) return;
    this.#byId.delete(targetId);
    this.#serviceWorkers.detached(target);
    changeTarget(target, 'detach');
    this.emit('detached', target);
  }

  #onChanged(info: Protocol.Target.TargetInfo): void {
    const target = this.#byId.get(info.targetId);
    if (target) this.emit('changed', target, info);
  }
}
