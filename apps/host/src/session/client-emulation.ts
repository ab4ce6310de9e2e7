import type { AppliedProfile, ClientTargets } from '../profile/applied-profile.ts';
import { exclusiveMethods } from '../profile/overrides.ts';
import type { HostMethod } from '../relay/client-message.ts';
import type { AnswerMessage, ClientTarget, ClientWatcher } from '../relay/relay.ts';
import { searchedBytes } from '../switchboard/concerns-host.ts';

const methodPattern = /"method":"(Emulation\.)(set|clear)(\w+)"/;
const runPattern = /"Runtime\.runIfWaitingForDebugger"/;
const scriptsPattern = /"(?:Debugger|Profiler)\.enable"/;

const viewportMethod = 'Emulation.setDeviceMetricsOverride';

/** A client that stays attached to a service worker which a page announced has it started after this time. */
const detachTimeoutMs = 500;

const workerTypes = new Set(['worker', 'shared_worker', 'service_worker']);

/** A CDP session of a client. */
interface ClientSession {
  targetId: string;
  type: string;
  /** The type of the target through which it was attached. */
  via: string | undefined;
  /** The overrides that the client has set in it. */
  methods: Set<string>;
  /** The target was stopped when the client attached, and the client has not resumed it. */
  keepsStopped: boolean;
}

/**
 * Lets clients' own emulation win over the device profile. For most overrides Chromium keeps one per CDP session and
 * applies the latest, which is the client's. But it refuses a locale or a time zone while another session has set one.
 * And the end of a client's session undoes for the page what the host had set before.
 */
export class ClientEmulation implements ClientWatcher, ClientTargets {
  readonly #applied: AppliedProfile;
  readonly #sessions = new Map<string, ClientSession>();

  constructor(applied: AppliedProfile) {
    this.#applied = applied;
    applied.setClients(this);
  }

  connecting(): void {
    this.#applied.sendScripts();
  }

  attached({ sessionId: cdpSessionId, targetInfo, waitingForDebugger }: ClientTarget, parent = ''): void {
    const { targetId, type } = targetInfo;
    const via = this.#sessions.get(parent)?.type;
    const methods = new Set<string>();
    this.#sessions.set(cdpSessionId, { targetId, type, via, methods, keepsStopped: waitingForDebugger });
  }

  detached(cdpSessionIds: Iterable<string>): void {
    for (const cdpSessionId of cdpSessionIds) {
      const session = this.#sessions.get(cdpSessionId);
      this.#sessions.delete(cdpSessionId);
      if (!session) continue;
      if (session.methods.has(viewportMethod)) this.#updateViewport();
      this.#restore(session.targetId, session.methods);
      this.#applied.clientReleased(session.targetId);
    }
  }

  keepsStopped(targetId: string, type: string): boolean {
    for (const session of this.#sessions.values()) {
      if (!session.keepsStopped) continue;
      // A client attaches to a page through its tab, which does not say which page it has.
      if (session.targetId === targetId || (type === 'page' && session.type === 'tab')) return true;
    }
    return false;
  }

  isAttached(targetId: string): boolean {
    return [...this.#sessions.values()].some((session) => session.targetId === targetId);
  }

  restarted(targetId: string): void {
    for (const session of this.#sessions.values()) {
      if (session.targetId === targetId) session.keepsStopped = true;
    }
  }

  sends(cdpSessionId: string, message: Buffer, pass: () => void, answer?: AnswerMessage): void {
    const session = this.#sessions.get(cdpSessionId);
    const start = message.toString('latin1', 0, searchedBytes);
    if (session && scriptsPattern.test(start)) this.#applied.hideScripts(cdpSessionId);
    if (session?.keepsStopped && runPattern.test(start)) {
      if (startsWithRun(session) && answer?.({})) this.#resumeUnlessDetached(cdpSessionId, session);
      else this.#resume(cdpSessionId, session, pass);
    } else if (session) this.#emulate(session, start, pass);
    else pass();
  }

  answer(method: HostMethod, params: object): Promise<object> | undefined {
    if (method === 'Browser.getVersion') return Promise.resolve(this.#applied.version);
    const { url, forTab } = params as { url?: unknown; forTab?: unknown };
    if (typeof url !== 'string' || url === '' || url === 'about:blank' || forTab) return undefined;
    return this.#applied.openPage({ ...params, url });
  }

  /**
   * Delays a client's command to run until the worker has its overrides, but none of the client's later commands: the
   * worker may need them to start at all, such as an answer to the request for its script.
   */
  #resume(cdpSessionId: string, session: ClientSession, pass: () => void): void {
    const { targetId, type } = session;
    const resume = () => {
      if (this.#sessions.get(cdpSessionId) !== session) return; // It detached, which resumed the target.
      session.keepsStopped = false;
      this.#applied.resume(targetId);
      pass();
      this.#applied.clientReleased(targetId);
    };
    const mustWait = workerTypes.has(type) && !startsWithRun(session);
    const applied = mustWait ? this.#applied.whenApplied(targetId) : undefined;
    if (applied) void applied.then(resume);
    else resume();
  }

  /**
   * The worker starts with the client's command to run, so the command cannot wait for the overrides; and Chromium, which
   * keeps it until there is a renderer, keeps no order between two CDP sessions there. Playwright and Puppeteer detach
   * as soon as the command is answered. That starts the worker as well, and then only the host resumes it.
   */
  #resumeUnlessDetached(cdpSessionId: string, session: ClientSession): void {
    session.keepsStopped = false;
    const run = () => this.#applied.runFor(cdpSessionId);
    setTimeout(() => this.#resume(cdpSessionId, session, run), detachTimeoutMs).unref();
  }

  #emulate(session: ClientSession, start: string, pass: () => void): void {
    const [, domain, verb, what] = methodPattern.exec(start) ?? [];
    if (!verb) {
      pass();
      return;
    }
    const method = `${domain}set${what}`;
    if (verb === 'set') session.methods.add(method);
    else session.methods.delete(method);
    if (method === viewportMethod) this.#updateViewport();
    const exclusive = exclusiveMethods.find((known) => known === method);
    if (exclusive) this.#applied.clearExclusive(exclusive);
    pass();
    if (exclusive) this.#applied.restoreAll(exclusive, this.#targetsWith(exclusive));
    if (verb === 'clear') this.#restore(session.targetId, new Set([method]));
  }

  #updateViewport(): void {
    this.#applied.clientsEmulateViewport(this.#targetsWith(viewportMethod).size > 0);
  }

  #targetsWith(method: string): Set<string> {
    const sessions = [...this.#sessions.values()].filter(({ methods }) => methods.has(method));
    return new Set(sessions.map(({ targetId }) => targetId));
  }

  /** Restores the profile's overrides, except those that another client has set. */
  #restore(targetId: string, methods: ReadonlySet<string>): void {
    const lost = [...methods].filter((method) => !this.#targetsWith(method).has(targetId));
    if (lost.length > 0) this.#applied.restore(targetId, new Set(lost));
  }
}

/**
 * A service worker that was announced by a page: its script is requested only when all who were told so have resumed
 * it.
 */
const startsWithRun = ({ type, via }: ClientSession): boolean =>
  type === 'service_worker' && via !== undefined && via !== 'browser';
