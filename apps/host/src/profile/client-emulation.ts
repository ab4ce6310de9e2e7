import type { HostMethod } from '../relay/client-message.ts';
import type { ClientTarget, ClientWatcher } from '../relay/relay.ts';
import { searchedBytes } from '../switchboard/concerns-host.ts';
import { type AppliedProfile, type ClientHolds, exclusiveMethods } from './applied-profile.ts';

const methodPattern = /"method":"(Emulation\.)(set|clear)(\w+)"/;
const runPattern = /"Runtime\.runIfWaitingForDebugger"/;
const scriptsPattern = /"(?:Debugger|Profiler)\.enable"/;

const viewportMethod = 'Emulation.setDeviceMetricsOverride';

const workerTypes = new Set(['worker', 'shared_worker', 'service_worker']);

interface ClientSession {
  targetId: string;
  type: string;
  /** The type of the target that it was found by way of. */
  via: string | undefined;
  /** What it has set. */
  methods: Set<string>;
  /** Its target was stopped when it attached, and it has not let it run. */
  keepsStopped: boolean;
}

/**
 * What clients emulate themselves wins while they do. Of most things each session has its own in Chromium, the
 * latest counts, and clients come after the host. But a locale or a time zone is refused while another session
 * has set one, and the end of a session undoes for the page what the host had set before.
 */
export class ClientEmulation implements ClientWatcher, ClientHolds {
  readonly #applied: AppliedProfile;
  readonly #sessions = new Map<string, ClientSession>();

  constructor(applied: AppliedProfile) {
    this.#applied = applied;
    applied.heed(this);
  }

  attached({ sessionId, targetInfo, waitingForDebugger }: ClientTarget, parent = ''): void {
    const { targetId, type } = targetInfo;
    const via = this.#sessions.get(parent)?.type;
    const methods = new Set<string>();
    this.#sessions.set(sessionId, { targetId, type, via, methods, keepsStopped: waitingForDebugger });
  }

  detached(sessionIds: Iterable<string>): void {
    for (const sessionId of sessionIds) {
      const session = this.#sessions.get(sessionId);
      this.#sessions.delete(sessionId);
      if (!session) continue;
      if (session.methods.has(viewportMethod)) this.#tellViewports();
      this.#restore(session.targetId, session.methods);
      this.#applied.reconsider(session.targetId);
    }
  }

  keepStopped(targetId: string, type: string): boolean {
    for (const session of this.#sessions.values()) {
      if (!session.keepsStopped) continue;
      // A page is attached to by way of its tab, which does not tell whose it is.
      if (session.targetId === targetId || (type === 'page' && session.type === 'tab')) return true;
    }
    return false;
  }

  hold(targetId: string): boolean {
    return [...this.#sessions.values()].some((session) => session.targetId === targetId);
  }

  restarted(targetId: string): void {
    for (const session of this.#sessions.values()) {
      if (session.targetId === targetId) session.keepsStopped = true;
    }
  }

  sends(sessionId: string, message: Buffer, pass: () => void): void {
    const session = this.#sessions.get(sessionId);
    const start = message.toString('latin1', 0, searchedBytes);
    if (session && scriptsPattern.test(start)) this.#applied.hideScripts(sessionId);
    if (session?.keepsStopped && runPattern.test(start)) this.#run(sessionId, session, pass);
    else if (session) this.#emulates(session, start, pass);
    else pass();
  }

  /**
   * Only the word to run waits until a worker knows what it is, and none of what the client says after it: the
   * worker may need that to start at all, such as an answer to the request for its script. A service worker that
   * was found by way of a page starts at this very word, and the host's own, queued before, come first.
   */
  #run(sessionId: string, session: ClientSession, pass: () => void): void {
    const { targetId, type, via } = session;
    const run = () => {
      if (this.#sessions.get(sessionId) !== session) return; // It left, and what it kept stopped runs by that.
      session.keepsStopped = false;
      this.#applied.run(targetId);
      pass();
      this.#applied.reconsider(targetId);
    };
    const startsByIt = type === 'service_worker' && via !== undefined && via !== 'browser';
    const mustWait = workerTypes.has(type) && !startsByIt;
    const told = mustWait ? this.#applied.whenTold(targetId) : undefined;
    if (told) void told.then(run);
    else run();
  }

  #emulates(session: ClientSession, start: string, pass: () => void): void {
    const [, domain, verb, what] = methodPattern.exec(start) ?? [];
    if (!verb) {
      pass();
      return;
    }
    const method = `${domain}set${what}`;
    if (verb === 'set') session.methods.add(method);
    else session.methods.delete(method);
    if (method === viewportMethod) this.#tellViewports();
    const exclusive = exclusiveMethods.find((known) => known === method);
    if (exclusive) this.#applied.release(exclusive);
    pass();
    if (exclusive) this.#applied.restoreAll(exclusive, this.#targetsWith(exclusive));
    if (verb === 'clear') this.#restore(session.targetId, new Set([method]));
  }

  answer(method: HostMethod, params: object): Promise<object> | undefined {
    if (method === 'Browser.getVersion') return Promise.resolve(this.#applied.version);
    const { url, forTab } = params as { url?: unknown; forTab?: unknown };
    if (typeof url !== 'string' || url === '' || url === 'about:blank' || forTab) return undefined;
    return this.#applied.openPage({ ...params, url });
  }

  #tellViewports(): void {
    this.#applied.clientsEmulateViewport(this.#targetsWith(viewportMethod).size > 0);
  }

  #targetsWith(method: string): Set<string> {
    const having = [...this.#sessions.values()].filter(({ methods }) => methods.has(method));
    return new Set(having.map(({ targetId }) => targetId));
  }

  /** Except what another client has set there still. */
  #restore(targetId: string, methods: ReadonlySet<string>): void {
    const lost = [...methods].filter((method) => !this.#targetsWith(method).has(targetId));
    if (lost.length > 0) this.#applied.restore(targetId, new Set(lost));
  }
}
