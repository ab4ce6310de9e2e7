import type { Controller, TargetInfo, WorkerVersion } from '../chromium/controller.ts';

interface Attached {
  sessionId: string;
  context: string | undefined;
}

interface Worker extends Attached {
  /** It was unregistered, or has stopped: it goes when nobody is attached to it. */
  isOver: boolean;
}

/**
 * Detaches the host from service workers that are to go. While anyone is attached, Chromium does not stop one that
 * was unregistered and does not report one that has stopped. What the host has set there ends with its session, so
 * it stays attached to the others. That a worker was unregistered is told to pages only: one of each context is
 * asked to say so.
 */
export class ServiceWorkers {
  readonly #controller: Controller;
  readonly #workers = new Map<string, Worker>();
  readonly #pages = new Map<string, Attached>();
  /** The page that tells, by context. */
  readonly #telling = new Map<string | undefined, string>();
  readonly #isHeld: (targetId: string) => boolean;

  /** `isHeld` tells whether a client is attached to a worker. */
  constructor(controller: Controller, isHeld: (targetId: string) => boolean) {
    this.#controller = controller;
    this.#isHeld = isHeld;
    controller.on('ServiceWorker.workerVersionUpdated', ({ versions }) => this.#updated(versions));
    controller.on('Inspector.targetCrashed', (_nothing, sessionId) => {
      const [targetId] = [...this.#workers].find(([, worker]) => worker.sessionId === sessionId) ?? [];
      if (targetId !== undefined) this.#isOver(targetId);
    });
  }

  attached({ targetId, type, browserContextId: context }: TargetInfo, sessionId: string): void {
    if (type === 'page') this.#pages.set(targetId, { sessionId, context });
    else if (type === 'service_worker') this.#workers.set(targetId, { sessionId, context, isOver: false });
    else return;
    this.#haveTold(context);
  }

  detached(targetId: string): void {
    this.#workers.delete(targetId);
    const page = this.#pages.get(targetId);
    this.#pages.delete(targetId);
    if (!page || this.#telling.get(page.context) !== targetId) return;
    this.#telling.delete(page.context);
    this.#haveTold(page.context);
  }

  /** It stopped and runs again, because a client is attached. The target it belongs to, if it is a worker's session. */
  restarted(sessionId: string): string | undefined {
    for (const [targetId, worker] of this.#workers) {
      if (worker.sessionId !== sessionId) continue;
      worker.isOver = false;
      return targetId;
    }
    return undefined;
  }

  /** Detaches from a worker that is to go and that no client is attached to. */
  release(targetId: string): void {
    const worker = this.#workers.get(targetId);
    if (!worker?.isOver || this.#isHeld(targetId)) return;
    this.#workers.delete(targetId);
    this.#controller.call('Target.detachFromTarget', { sessionId: worker.sessionId }).catch(() => {}); // Gone already.
  }

  #haveTold(context: string | undefined): void {
    if (this.#telling.has(context)) return;
    if (![...this.#workers.values()].some((worker) => worker.context === context)) return;
    const [targetId, page] = [...this.#pages].find(([, candidate]) => candidate.context === context) ?? [];
    if (targetId === undefined || !page) return;
    this.#telling.set(context, targetId);
    this.#controller.call('ServiceWorker.enable', {}, page.sessionId).catch(() => {}); // It is gone: another is asked.
  }

  #updated(versions: readonly WorkerVersion[]): void {
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
