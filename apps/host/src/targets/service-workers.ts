import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import { changeTarget, type Target, type TargetLookup } from './target.ts';

/** More than clients close at once. */
const maxClosing = 100;

/** What the host is attached to of one browser context. */
interface Context {
  pages: Set<Target>;
  /** How many service workers. */
  workers: number;
  /** The page whose `ServiceWorker` domain is enabled. */
  reporting: Target | undefined;
}

/**
 * Detaches the host from service workers that are over. While anyone is attached, Chromium neither stops a worker that
 * was unregistered nor reports that one has stopped. The host's overrides end with its CDP session, so it stays
 * attached to the other workers. Only pages are told that a worker was unregistered: the host enables the
 * `ServiceWorker` domain in one page of each browser context.
 */
export class ServiceWorkers {
  readonly #controller: Controller;
  readonly #targets: TargetLookup;
  /** Workers that a client closes, until they have stopped. Chromium does not stop one that only starts. */
  readonly #closing = new Set<string>();
  /** Targets that a client closed before the host was attached to them. */
  readonly #closed = new Set<string>();
  readonly #contexts = new Map<string | undefined, Context>();
  readonly #isHeld: (targetId: string) => boolean;

  /** `isHeld` says whether a client is attached to a worker. */
  constructor(controller: Controller, targets: TargetLookup, isHeld: (targetId: string) => boolean) {
    this.#controller = controller;
    this.#targets = targets;
    this.#isHeld = isHeld;
    controller.on('ServiceWorker.workerVersionUpdated', ({ versions }) => this.#updated(versions));
    controller.on('Inspector.targetCrashed', (_event, cdpSessionId) =>
      this.#finish(targets.ofSession(cdpSessionId)),
    );
  }

  attached(target: Target): void {
    const { type, browserContextId } = target;
    if (type !== 'page' && type !== 'service_worker') return;
    const context = this.#contexts.get(browserContextId) ?? {
      pages: new Set(),
      workers: 0,
      reporting: undefined,
    };
    this.#contexts.set(browserContextId, context);
    if (type === 'page') context.pages.add(target);
    else context.workers += 1;
    this.#enableReports(context);
    if (this.#closed.delete(target.targetId)) this.#finish(target);
  }

  /** Call before its state says so. */
  detached(target: Target): void {
    this.#closed.delete(target.targetId);
    if (isWorker(target)) this.#uncount(target);
    const context = this.#contexts.get(target.browserContextId);
    if (!context?.pages.delete(target)) return;
    this.#forgetEmpty(target.browserContextId, context);
    if (context.reporting !== target) return;
    context.reporting = undefined;
    this.#enableReports(context);
  }

  /** A client closes a target that may be a worker. */
  closes(targetId: string): void {
    const target = this.#targets.get(targetId);
    if (isWorker(target)) {
      if (this.#closing.size < maxClosing) this.#closing.add(targetId);
      this.#finish(target);
    } else if (this.#isHeld(targetId)) this.#closedEarly(targetId);
  }

  /** Detaches from a worker that is over and that no client is attached to. */
  release(targetId: string): void {
    const target = this.#targets.get(targetId);
    if (!isWorker(target) || this.#isHeld(targetId) || !changeTarget(target, 'leave')) return;
    this.#uncount(target);
    const { cdpSessionId: sessionId } = target;
    this.#controller.call('Target.detachFromTarget', { sessionId }).catch(() => {}); // Gone already.
  }

  /** The host never attaches to some of them, such as tabs. */
  #closedEarly(targetId: string): void {
    this.#closed.add(targetId);
    const [oldest] = this.#closed;
    if (oldest !== undefined && this.#closed.size > maxClosing) this.#closed.delete(oldest);
  }

  #enableReports(context: Context): void {
    const [page] = context.pages;
    if (context.reporting !== undefined || context.workers === 0 || page === undefined) return;
    context.reporting = page;
    const { cdpSessionId } = page;
    this.#controller.call('ServiceWorker.enable', {}, { cdpSessionId }).catch(() => {}); // It is gone: `detached` follows.
  }

  #uncount({ browserContextId }: Target): void {
    const context = this.#contexts.get(browserContextId);
    if (!context) return;
    context.workers -= 1;
    this.#forgetEmpty(browserContextId, context);
  }

  #forgetEmpty(browserContextId: string | undefined, { pages, workers }: Context): void {
    if (pages.size === 0 && workers === 0) this.#contexts.delete(browserContextId);
  }

  #updated(versions: readonly Protocol.ServiceWorker.ServiceWorkerVersion[]): void {
    for (const { status, runningStatus, targetId } of versions) {
      if (targetId === undefined) continue;
      if (status === 'redundant') this.#finish(this.#targets.get(targetId));
      if (runningStatus === 'running' && this.#closing.has(targetId)) {
        this.#controller.call('Target.closeTarget', { targetId }).catch(() => {}); // It is gone.
      } else if (runningStatus === 'stopped' || status === 'redundant') this.#closing.delete(targetId);
    }
  }

  #finish(target: Target | undefined): void {
    if (!isWorker(target)) return;
    changeTarget(target, 'finish');
    this.release(target.targetId);
  }
}

/** Whether it is a service worker that the host stays attached to. */
function isWorker(target: Target | undefined): target is Target {
  return target?.type === 'service_worker' && target.state !== 'left';
}
