import type { AppliedProfile, ClientTargets } from '../profile/applied-profile.ts';
import { exclusiveMethods, overriddenMethods } from '../profile/overrides.ts';
import type { HostMethod } from '../relay/client-message.ts';
import type { AnswerMessage, ClientTarget, ClientWatcher } from '../relay/relay.ts';
import { searchedBytes } from '../switchboard/concerns-host.ts';

const methodPattern = /"method":"Emulation\.(set|clear)(\w+)"/;
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
  /** The same by target. */
  readonly #byTarget = new Map<string, Set<ClientSession>>();
  /** How many sessions have set an override, by method and target. */
  readonly #overridden = new Map<string, Map<string, number>>();
  /** How many sessions keep each target stopped, and how many keep any tab stopped. */
  readonly #keptStopped = new Map<string, number>();
  #keptTabs = 0;

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
    const session = { targetId, type, via, methods: new Set<string>(), keepsStopped: false };
    this.#sessions.set(cdpSessionId, session);
    const ofTarget = this.#byTarget.get(targetId);
    if (ofTarget) ofTarget.add(session);
    else this.#byTarget.set(targetId, new Set([session]));
    this.#keepStopped(session, waitingForDebugger);
  }

  /** Costs as much as those sessions have set, however many others there are. */
  detached(cdpSessionIds: Iterable<string>): void {
    /** What each target may have lost. */
    const lost = new Map<string, Set<string>>();
    const hadTabs = this.#keptTabs > 0;
    for (const cdpSessionId of cdpSessionIds) {
      const session = this.#sessions.get(cdpSessionId);
      if (!session) continue;
      const { targetId } = session;
      const methods = lost.get(targetId) ?? new Set();
      lost.set(targetId, methods);
      for (const method of session.methods) {
        methods.add(method);
        this.#override(session, method, false);
      }
      this.#forget(cdpSessionId, session);
    }
    if ([...lost.values()].some((methods) => methods.has(viewportMethod))) this.#updateViewport();
    for (const [targetId, methods] of lost) this.#restore(targetId, methods);
    this.#applied.clientReleased([...lost.keys()], hadTabs && this.#keptTabs === 0);
  }

  keepsStopped(targetId: string, type: string): boolean {
    // A client attaches to a page through its tab, which does not say which page it has.
    return this.#keptStopped.has(targetId) || (type === 'page' && this.#keptTabs > 0);
  }

  isAttached(targetId: string): boolean {
    return this.#byTarget.has(targetId);
  }

  restarted(targetId: string): void {
    for (const session of this.#byTarget.get(targetId) ?? []) this.#keepStopped(session, true);
  }

  closes(targetId: string): void {
    this.#applied.closes(targetId);
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
      const wasLastTab = this.#keepStopped(session, false);
      // The client's first: it is answered before the target does anything, as by any Chromium.
      pass();
      this.#applied.resume(targetId);
      this.#applied.clientReleased([targetId], wasLastTab);
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
    this.#keepStopped(session, false);
    const run = () => this.#applied.runFor(cdpSessionId);
    setTimeout(() => this.#resume(cdpSessionId, session, run), detachTimeoutMs).unref();
  }

  #emulate(session: ClientSession, start: string, pass: () => void): void {
    const [, verb, what] = methodPattern.exec(start) ?? [];
    const method = `Emulation.set${what}`;
    if (!verb || !overriddenMethods.has(method)) {
      pass();
      return;
    }
    this.#override(session, method, verb === 'set');
    if (method === viewportMethod) this.#updateViewport();
    const exclusive = exclusiveMethods.find((known) => known === method);
    if (exclusive) this.#applied.clearExclusive(exclusive);
    pass();
    if (exclusive)
      this.#applied.restoreCleared(exclusive, (targetId) => this.#isOverridden(targetId, exclusive));
    if (verb === 'clear') this.#restore(session.targetId, new Set([method]));
  }

  #updateViewport(): void {
    this.#applied.clientsEmulateViewport(this.#overridden.has(viewportMethod));
  }

  /** Restores the profile's overrides, except those that another client has set. */
  #restore(targetId: string, methods: ReadonlySet<string>): void {
    const lost = [...methods].filter((method) => !this.#isOverridden(targetId, method));
    if (lost.length > 0) this.#applied.restore(targetId, new Set(lost));
  }

  #isOverridden(targetId: string, method: string): boolean {
    return this.#overridden.get(method)?.has(targetId) === true;
  }

  /** Notes that a session sets an override, or no longer. */
  #override({ methods, targetId }: ClientSession, method: string, isSet: boolean): void {
    if (methods.has(method) === isSet) return;
    if (isSet) methods.add(method);
    else methods.delete(method);
    const targets = this.#overridden.get(method) ?? new Map<string, number>();
    this.#overridden.set(method, targets);
    count(targets, targetId, isSet ? 1 : -1);
    if (targets.size === 0) this.#overridden.delete(method);
  }

  /** Notes whether a session keeps its target stopped. Returns whether it was the last to keep a tab so. */
  #keepStopped(session: ClientSession, keepsStopped: boolean): boolean {
    if (session.keepsStopped === keepsStopped) return false;
    session.keepsStopped = keepsStopped;
    const change = keepsStopped ? 1 : -1;
    count(this.#keptStopped, session.targetId, change);
    if (session.type !== 'tab') return false;
    this.#keptTabs += change;
    return this.#keptTabs === 0;
  }

  #forget(cdpSessionId: string, session: ClientSession): void {
    this.#keepStopped(session, false);
    this.#sessions.delete(cdpSessionId);
    const ofTarget = this.#byTarget.get(session.targetId);
    ofTarget?.delete(session);
    if (ofTarget?.size === 0) this.#byTarget.delete(session.targetId);
  }
}

function count(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}

/**
 * A service worker that was announced by a page: its script is requested only when all who were told so have resumed
 * it.
 */
const startsWithRun = ({ type, via }: ClientSession): boolean =>
  type === 'service_worker' && via !== undefined && via !== 'browser';
