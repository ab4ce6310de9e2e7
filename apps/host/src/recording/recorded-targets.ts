import type { AttachedTarget } from '../switchboard/targets.ts';

/** Targets of other types are not recorded. */
export interface RecordedTarget {
  targetId: string;
  type: string;
  cdpSessionId: string;
  /** The tab that it is, or is part of; undefined: it belongs to none, as a service worker does. */
  tab: number | undefined;
}

/** The targets that the host is attached to, and their tabs. */
export class RecordedTargets {
  readonly #byCdpSession = new Map<string, RecordedTarget>();
  readonly #byTargetId = new Map<string, RecordedTarget>();
  /** Targets by clients' CDP sessions. */
  readonly #ofClients = new Map<string, string>();
  #tabs = 0;

  add({ sessionId, targetInfo }: AttachedTarget, parent: string | undefined): RecordedTarget {
    const { targetId, type } = targetInfo;
    const tab = type === 'page' ? ++this.#tabs : this.ofSession(parent)?.tab;
    const target = { targetId, type, cdpSessionId: sessionId, tab };
    this.#byCdpSession.set(sessionId, target);
    this.#byTargetId.set(targetId, target);
    return target;
  }

  /** Returns the target that the CDP session was with. */
  delete(cdpSessionId: string): RecordedTarget | undefined {
    const target = this.#byCdpSession.get(cdpSessionId);
    this.#byCdpSession.delete(cdpSessionId);
    if (target) this.#byTargetId.delete(target.targetId);
    return target;
  }

  /** The target of one of the host's own CDP sessions. */
  ofSession(cdpSessionId: string | undefined): RecordedTarget | undefined {
    return cdpSessionId === undefined ? undefined : this.#byCdpSession.get(cdpSessionId);
  }

  ofId(targetId: string | undefined): RecordedTarget | undefined {
    return targetId === undefined ? undefined : this.#byTargetId.get(targetId);
  }

  /** A client has a CDP session with a target. */
  clientAttached(cdpSessionId: string, targetId: string): void {
    this.#ofClients.set(cdpSessionId, targetId);
  }

  clientDetached(cdpSessionIds: Iterable<string>): void {
    for (const cdpSessionId of cdpSessionIds) this.#ofClients.delete(cdpSessionId);
  }

  /** Whether Chromium has issued this CDP session to a client, and it is not gone. */
  isClientSession(cdpSessionId: string): boolean {
    return this.#ofClients.has(cdpSessionId);
  }

  tabOfClientSession(cdpSessionId: string): number | undefined {
    return this.ofId(this.#ofClients.get(cdpSessionId))?.tab;
  }
}

/** The member of an event that names its tab, if there is one. */
export const inTab = (tab: number | undefined): { tab?: number } => (tab === undefined ? {} : { tab });
