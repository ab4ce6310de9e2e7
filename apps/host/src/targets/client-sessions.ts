import type { AttachedTarget } from '../switchboard/targets.ts';

/** A CDP session of a client with a target. */
export interface ClientSession {
  readonly cdpSessionId: string;
  readonly clientId: number;
  readonly targetId: string;
  readonly type: string;
  /** The type of the target through which it was attached. */
  readonly via: string | undefined;
  /** The target was stopped when the client attached, and the client has not resumed it. */
  readonly keepsStopped: boolean;
}

interface KnownSession extends ClientSession {
  keepsStopped: boolean;
}

interface ClientsOfTarget {
  sessions: Set<KnownSession>;
  /** How many of them keep it stopped. */
  keepers: number;
}

/** The clients' CDP sessions, and which of them keep their targets stopped. */
export class ClientSessions {
  readonly #sessions = new Map<string, KnownSession>();
  readonly #byTarget = new Map<string, ClientsOfTarget>();
  /** What each connected client has attached to, or was attached to on its behalf. */
  readonly #byClient = new Map<number, Set<string>>();
  /** Clients by the CDP sessions that stand for their connections. */
  readonly #roots = new Map<string, number>();
  #count = 0;
  /** How many sessions keep any tab stopped. */
  #tabKeepers = 0;

  /** A client connects. The connection is with the target or, if that is undefined, with the browser. */
  connected(clientId: number, rootCdpSessionId: string, targetId: string | undefined): void {
    this.#byClient.set(clientId, new Set());
    this.#roots.set(rootCdpSessionId, clientId);
    if (targetId === undefined) return;
    const root = { cdpSessionId: rootCdpSessionId, clientId, targetId, type: 'page', via: undefined };
    this.#add({ ...root, keepsStopped: false });
  }

  /**
   * A client disconnects. Returns the CDP sessions that it has, without that of the connection. They no longer count,
   * and are known until the browser has ended them.
   */
  disconnected(clientId: number, rootCdpSessionId: string): ReadonlySet<string> {
    const cdpSessionIds = this.#byClient.get(clientId) ?? new Set();
    this.#byClient.delete(clientId);
    this.#roots.delete(rootCdpSessionId);
    this.#count -= cdpSessionIds.size;
    return cdpSessionIds;
  }

  /** A client has a new CDP session. `parent` is the one that the target was found by way of. */
  attached(
    clientId: number,
    { sessionId, targetInfo, waitingForDebugger }: AttachedTarget,
    parent: string,
  ): void {
    const own = this.#byClient.get(clientId);
    // Nothing would end a session of a client that has disconnected, and its target would stay stopped.
    if (!own || this.#sessions.has(sessionId)) return;
    own.add(sessionId);
    this.#count += 1;
    const { targetId, type } = targetInfo;
    const via = this.#sessions.get(parent)?.type;
    const session = { cdpSessionId: sessionId, clientId, targetId, type, via, keepsStopped: false };
    this.#add(session);
    this.keepStopped(session, waitingForDebugger);
  }

  /** Forgets CDP sessions. Costs as much as they are, however many others there are. */
  detached(cdpSessionIds: Iterable<string>): { sessions: ClientSession[]; wasLastTab: boolean } {
    const hadTabs = this.#tabKeepers > 0;
    const sessions: ClientSession[] = [];
    for (const cdpSessionId of cdpSessionIds) {
      const session = this.#sessions.get(cdpSessionId);
      if (!session) continue;
      sessions.push(session);
      this.#forget(session);
    }
    return { sessions, wasLastTab: hadTabs && this.#tabKeepers === 0 };
  }

  get(cdpSessionId: string): ClientSession | undefined {
    return this.#sessions.get(cdpSessionId);
  }

  /** How many CDP sessions and connections it knows of. */
  get size(): number {
    return this.#sessions.size + this.#byTarget.size + this.#roots.size + this.#byClient.size;
  }

  /** How many CDP sessions the connected clients have, without those of the connections. */
  get count(): number {
    return this.#count;
  }

  countOf(clientId: number): number {
    return this.#byClient.get(clientId)?.size ?? 0;
  }

  /** Whether a connected client has the CDP session. That of its connection is not meant. */
  owns(clientId: number, cdpSessionId: string): boolean {
    return this.#byClient.get(clientId)?.has(cdpSessionId) === true;
  }

  /** The client that the CDP session stands for. */
  ofRoot(cdpSessionId: string): number | undefined {
    return this.#roots.get(cdpSessionId);
  }

  isAttached(targetId: string): boolean {
    return this.#byTarget.has(targetId);
  }

  /** Whether a client got the target stopped and has not resumed it. */
  keepsStopped(targetId: string, type: string): boolean {
    // A client attaches to a page through its tab, which does not say which page it has.
    return (this.#byTarget.get(targetId)?.keepers ?? 0) > 0 || (type === 'page' && this.#tabKeepers > 0);
  }

  /** Notes whether a session keeps its target stopped. Returns whether it was the last to keep a tab so. */
  keepStopped({ cdpSessionId, targetId, type }: ClientSession, keepsStopped: boolean): boolean {
    const session = this.#sessions.get(cdpSessionId);
    const ofTarget = this.#byTarget.get(targetId);
    if (!session || !ofTarget || session.keepsStopped === keepsStopped) return false;
    session.keepsStopped = keepsStopped;
    const change = keepsStopped ? 1 : -1;
    ofTarget.keepers += change;
    if (type !== 'tab') return false;
    this.#tabKeepers += change;
    return this.#tabKeepers === 0;
  }

  /** A service worker starts again, stopped before its first script. */
  restarted(targetId: string): void {
    for (const session of this.#byTarget.get(targetId)?.sessions ?? []) this.keepStopped(session, true);
  }

  #add(session: KnownSession): void {
    this.#sessions.set(session.cdpSessionId, session);
    const ofTarget = this.#byTarget.get(session.targetId) ?? { sessions: new Set(), keepers: 0 };
    this.#byTarget.set(session.targetId, ofTarget);
    ofTarget.sessions.add(session);
  }

  #forget(session: KnownSession): void {
    const { cdpSessionId, clientId, targetId } = session;
    this.keepStopped(session, false);
    this.#sessions.delete(cdpSessionId);
    if (this.#byClient.get(clientId)?.delete(cdpSessionId)) this.#count -= 1;
    const ofTarget = this.#byTarget.get(targetId);
    ofTarget?.sessions.delete(session);
    if (ofTarget?.sessions.size === 0) this.#byTarget.delete(targetId);
  }
}
