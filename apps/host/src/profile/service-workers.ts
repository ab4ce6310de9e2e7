import type { Protocol } from 'devtools-protocol';
import type { Controller } from '../chromium/controller.ts';
import type { TargetInfo } from '../switchboard/targets.ts';

interface Attached {
  cdpSessionId: string;
  browserContextId: string | undefined;
}

interface Worker extends Attached {
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
  readonly #pages = new Map<string, Attached>();
  /** The page whose `ServiceWorker` domain is enabled, by browser context. */
  readonly #reportingPages = new Map<string | undefined, string>();
  readonly #isHeld: (targetId: string) => boolean;

  /** `isHeld` says whether a client is attached to a worker. */
  constructor(controller: Controller, isHeld: (targetId: string) => boolean) {
    this.#controller = controller;
    this.#isHeld = isHeld;
    controller.on('ServiceWorker.workerVersionUpdated', ({ versions }) => this.#updated(versions));
    controller.on('Inspector.targetCrashed', (_event, cdpSessionId) => {
      const [targetId] = [...this.#workers].find(([, worker]) => worker.cdpSessionId === cdpSessionId) ?? [];
      if (targetId !== undefined) this.#isOver(targetId);
    });
  }

  attached({ targetId, type, browserContextId }: TargetInfo, cdpSessionId: string): void {
    if (type === 'page') this.#pages.set(targetId, { cdpSessionId, browserContextId });
    else if (type === 'service_worker')
      this.#workers.set(targetId, { cdpSessionId, browserContextId, isOver: false });
    else return;
    this.#enableReports(browserContextId);
  }

  detached(targetId: string): void {
    this.#workers.delete(targetId);
    const page = this.#pages.get(targetId);
    this.#pages.delete(targetId);
    if (!page || this.#reportingPages.get(page.browserContextId) !== targetId) return;
    this.#reportingPages.delete(page.browserContextId);
    this.#enableReports(page.browserContextId);
  }

  /** Marks a worker that stopped as running again, because a client is attached. Returns its target, if it is one. */
  restarted(cdpSessionId: string): string | undefined {
    for (const [targetId, worker] of this.#workers) {
      if (worker.cdpSessionId !== cdpSessionId) continue;
      worker.isOver = false;
      return targetId;
    }
    return undefined;
  }

  /** Detaches from a worker that is over and that no client is attached to. */
  release(targetId: string): void {
    const worker = this.#workers.get(targetId);
    if (!worker?.isOver || this.#isHeld(targetId)) return;
    this.#workers.delete(targetId);
    const { cdpSessionId: sessionId } = worker;
    this.#controller.call('Target.detachFromTarget', { sessionId }).catch(() => {}); // Gone already.
  }

  #enableReports(browserContextId: string | undefined): void {
    if (this.#reportingPages.has(browserContextId)) return;
    const isHere = (attached: Attached) => attached.browserContextId === browserContextId;
    if (![...this.#workers.values()].some(isHere)) return;
    const [targetId, page] = [...this.#pages].find(([, candidate]) => isHere(candidate)) ?? [];
    if (targetId === undefined || !page) return;
    this.#reportingPages.set(browserContextId, targetId);
    const { cdpSessionId } = page;
    this.#controller.call('ServiceWorker.enable', {}, { cdpSessionId }).catch(() => {}); // It is gone: `detached` follows.
  }

  #updated(versions: readonly Protocol.ServiceWorker.ServiceWorkerVersion[]): void {
    for (const { status, targetId } of versions) {
      if (status === 'redundant' && targetId !== undefined) this.#isOver(targetId);
    }
  }

  #isOver(targetId: string): void {
    const worker = this.#workers.get(targetId);
    if (!worker) return;
    worker.isOver = true;
    this.release(targetId);
  }
}
