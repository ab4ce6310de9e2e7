import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { TargetInfo } from '../switchboard/targets.ts';

/** More than clients close at once. */
const maxClosing = 100;

/** What is attached to of one browser context. */
interface Context {
  /** The host's CDP sessions with its pages. */
  pages: Map<string, string>;
  /** How many service workers. */
  workers: number;
  /** The page whose `ServiceWorker` domain is enabled. */
  reporting: string | undefined;
}

interface Worker {
  cdpSessionId: string;
  browserContextId: string | undefined;
  /** It was unregistered or has stopped: it goes away when nobody is attached to it. */
  isOver: boolean;
}

/**
 * Detaches the host from service workers that are over. While anyone is attached, Chromium neither stops a worker that
 * was unregistered nor reports that one has stopped. The host's overrides end with its CDP session, so it stays
 * attached to the other workers. Only pages are told that a worker was unregistered: the host enables the
 * `ServiceWorker` domain in one page of each browser context.
 */
export class ServiceWorkers {
  readonly #controller: Controller;
  readonly #workers = new Map<string, Worker>();
  /** The workers by the host's CDP sessions with them. */
  readonly #byCdpSession = new Map<string, string>();
  /** Workers that a client closes, until they have stopped. Chromium does not stop one that only starts. */
  readonly #closing = new Set<string>();
  /** Targets that a client closed before the host was attached to them. */
  readonly #closed = new Set<string>();
  readonly #contexts = new Map<string | undefined, Context>();
  readonly #isHeld: (targetId: string) => boolean;

  /** `isHeld` says whether a client is attached to a worker. */
  constructor(controller: Controller, isHeld: (targetId: string) => boolean) {
    this.#controller = controller;
    this.#isHeld = isHeld;
    controller.on('ServiceWorker.workerVersionUpdated', ({ versions }) => this.#updated(versions));
    controller.on('Inspector.targetCrashed', (_event, cdpSessionId) => {
      const targetId = this.#byCdpSession.get(cdpSessionId ?? '');
      if (targetId !== undefined) this.#isOver(targetId);
    });
  }

  attached({ targetId, type, browserContextId }: TargetInfo, cdpSessionId: string): void {
    if (type !== 'page' && type !== 'service_worker') return;
    const context = this.#contexts.get(browserContextId) ?? {
      pages: new Map(),
      workers: 0,
      reporting: undefined,
    };
    this.#contexts.set(browserContextId, context);
    if (type === 'page') context.pages.set(targetId, cdpSessionId);
    else {
      context.workers += 1;
      this.#workers.set(targetId, { cdpSessionId, browserContextId, isOver: false });
      this.#byCdpSession.set(cdpSessionId, targetId);
    }
    this.#enableReports(context);
    if (this.#closed.delete(targetId)) this.#isOver(targetId);
  }

  detached({ targetId, browserContextId }: { targetId: string; browserContextId: string | undefined }): void {
    this.#closed.delete(targetId);
    this.#forgetWorker(targetId);
    const context = this.#contexts.get(browserContextId);
    if (!context?.pages.delete(targetId)) return;
    this.#forgetEmpty(browserContextId, context);
    if (context.reporting !== targetId) return;
    context.reporting = undefined;
    this.#enableReports(context);
  }

  /** Marks a worker that stopped as running again, because a client is attached. Returns its target, if it is one. */
  restarted(cdpSessionId: string): string | undefined {
    const targetId = this.#byCdpSession.get(cdpSessionId);
    const worker = targetId === undefined ? undefined : this.#workers.get(targetId);
    if (worker) worker.isOver = false;
    return targetId;
  }

  /** A client closes a target that may be a worker. */
  closes(targetId: string): void {
    const isWorker = this.#workers.has(targetId);
    if (isWorker && this.#closing.size < maxClosing) this.#closing.add(targetId);
    if (isWorker) this.#isOver(targetId);
    else if (this.#isHeld(targetId)) this.#closed.add(targetId);
  }

  /** Detaches from a worker that is over and that no client is attached to. */
  release(targetId: string): void {
    const worker = this.#workers.get(targetId);
    if (!worker?.isOver || this.#isHeld(targetId)) return;
    this.#forgetWorker(targetId);
    const { cdpSessionId: sessionId } = worker;
    this.#controller.call('Target.detachFromTarget', { sessionId }).catch(() => {}); // Gone already.
  }

  #enableReports(context: Context): void {
    const [[targetId, cdpSessionId] = []] = context.pages;
    if (context.reporting !== undefined || context.workers === 0 || targetId === undefined) return;
    context.reporting = targetId;
    this.#controller.call('ServiceWorker.enable', {}, { cdpSessionId }).catch(() => {}); // It is gone: `detached` follows.
  }

  #forgetWorker(targetId: string): void {
    const worker = this.#workers.get(targetId);
    if (!worker) return;
    this.#workers.delete(targetId);
    this.#byCdpSession.delete(worker.cdpSessionId);
    const context = this.#contexts.get(worker.browserContextId);
    if (!context) return;
    context.workers -= 1;
    this.#forgetEmpty(worker.browserContextId, context);
  }

  #forgetEmpty(browserContextId: string | undefined, { pages, workers }: Context): void {
    if (pages.size === 0 && workers === 0) this.#contexts.delete(browserContextId);
  }

  #updated(versions: readonly Protocol.ServiceWorker.ServiceWorkerVersion[]): void {
    for (const { status, runningStatus, targetId } of versions) {
      if (targetId === undefined) continue;
      if (status === 'redundant') this.#isOver(targetId);
      if (runningStatus === 'running' && this.#closing.has(targetId)) {
        this.#controller.call('Target.closeTarget', { targetId }).catch(() => {}); // It is gone.
      } else if (runningStatus === 'stopped' || status === 'redundant') this.#closing.delete(targetId);
    }
  }

  #isOver(targetId: string): void {
    const worker = this.#workers.get(targetId);
    if (!worker) return;
    worker.isOver = true;
    this.release(targetId);
  }
}
