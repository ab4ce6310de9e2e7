import type { AppliedProfile } from '../profile/applied-profile.ts';
import { exclusiveMethods, overriddenMethods } from '../profile/overrides.ts';
import type { WatcherMethod } from '../relay/client-message.ts';
import type { AnswerMessage, ClientWatcher } from '../relay/relay.ts';
import { searchedBytes } from '../switchboard/concerns-host.ts';
import type { ClientSession } from '../targets/client-sessions.ts';
import { runForClient } from '../targets/run-for-client.ts';
import type { Targets } from '../targets/targets.ts';

const methodPattern = /"method":"Emulation\.(set|clear)(\w+)"/;
const runPattern = /"Runtime\.runIfWaitingForDebugger"/;
const scriptsPattern = /"(?:Debugger|Profiler)\.enable"/;

const viewportMethod = 'Emulation.setDeviceMetricsOverride';

/**
 * Lets clients' own emulation win over the device profile. For most overrides Chromium keeps one per CDP session and
 * applies the latest, which is the client's. But it refuses a locale or a time zone while another session has set one.
 * And the end of a client's session undoes for the page what the host had set before.
 */
export class ClientEmulation implements ClientWatcher {
  readonly #applied: AppliedProfile;
  readonly #targets: Targets;
  /** The overrides that clients have set. */
  readonly #methods = new WeakMap<ClientSession, Set<string>>();
  /** How many sessions have set an override, by method and target. */
  readonly #overridden = new Map<string, Map<string, number>>();

  constructor(applied: AppliedProfile, targets: Targets) {
    this.#applied = applied;
    this.#targets = targets;
    targets.on('clientsDetached', (sessions) => this.#detached(sessions));
  }

  connecting(): void {
    this.#applied.sendScripts();
  }

  sends(cdpSessionId: string, message: Buffer, pass: () => void, answer?: AnswerMessage): void {
    const session = this.#targets.clients.get(cdpSessionId);
    const start = message.toString('latin1', 0, searchedBytes);
    if (session && scriptsPattern.test(start)) this.#applied.hideScripts(cdpSessionId);
    if (session?.keepsStopped && runPattern.test(start)) {
      runForClient(this.#targets, session, { pass, answer });
    } else if (session) this.#emulate(session, start, pass);
    else pass();
  }

  answer(method: WatcherMethod, params: object): Promise<object> | undefined {
    if (method === 'Browser.getVersion') return Promise.resolve(this.#applied.version);
    const { url, forTab } = params as { url?: unknown; forTab?: unknown };
    if (typeof url !== 'string' || url === '' || url === 'about:blank' || forTab) return undefined;
    return this.#applied.openPage({ ...params, url });
  }

  /** Costs as much as those sessions have set, however many others there are. */
  #detached(sessions: readonly ClientSession[]): void {
    /** What each target may have lost. */
    const lost = new Map<string, Set<string>>();
    for (const session of sessions) {
      const methods = lost.get(session.targetId) ?? new Set();
      for (const method of this.#methods.get(session) ?? []) {
        lost.set(session.targetId, methods.add(method));
        this.#override(session, method, false);
      }
    }
    if ([...lost.values()].some((methods) => methods.has(viewportMethod))) this.#updateViewport();
    for (const [targetId, methods] of lost) this.#restore(targetId, methods);
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
  #override(session: ClientSession, method: string, isSet: boolean): void {
    const methods = this.#methods.get(session) ?? new Set();
    if (methods.has(method) === isSet) return;
    if (isSet) this.#methods.set(session, methods.add(method));
    else methods.delete(method);
    const targets = this.#overridden.get(method) ?? new Map<string, number>();
    this.#overridden.set(method, targets);
    count(targets, session.targetId, isSet ? 1 : -1);
    if (targets.size === 0) this.#overridden.delete(method);
  }
}

function count(counts: Map<string, number>, key: string, change: 1 | -1): void {
  const next = (counts.get(key) ?? 0) + change;
  if (next > 0) counts.set(key, next);
  else counts.delete(key);
}
