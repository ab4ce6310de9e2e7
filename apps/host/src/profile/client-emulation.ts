import type { HostMethod } from '../relay/client-message.ts';
import { searchedBytes } from '../relay/concerns-host.ts';
import type { ClientTarget, ClientWatcher } from '../relay/relay.ts';
import { type AppliedProfile, exclusiveMethods } from './applied-profile.ts';

const methodPattern = /"method":"(Emulation\.)(set|clear)(\w+)"/;

const viewportMethod = 'Emulation.setDeviceMetricsOverride';

const workerTypes = new Set(['worker', 'shared_worker', 'service_worker']);

interface ClientSession {
  targetId: string;
  /** What it has set. */
  methods: Set<string>;
}

/**
 * What clients emulate themselves wins while they do. Of most things each session has its own in Chromium, the
 * latest counts, and clients come after the host. But a locale or a time zone is refused while another session
 * has set one, and the end of a session undoes for the page what the host had set before.
 */
export class ClientEmulation implements ClientWatcher {
  readonly #applied: AppliedProfile;
  readonly #sessions = new Map<string, ClientSession>();

  constructor(applied: AppliedProfile) {
    this.#applied = applied;
  }

  attached({ sessionId, targetInfo, waitingForDebugger }: ClientTarget): Promise<void> | undefined {
    const { targetId, type } = targetInfo;
    this.#sessions.set(sessionId, { targetId, methods: new Set() });
    return waitingForDebugger && workerTypes.has(type) ? this.#applied.whenTold(targetId) : undefined;
  }

  detached(sessionIds: Iterable<string>): void {
    for (const sessionId of sessionIds) {
      const session = this.#sessions.get(sessionId);
      this.#sessions.delete(sessionId);
      if (session?.methods.has(viewportMethod)) this.#tellViewports();
      if (session) this.#restore(session.targetId, session.methods);
    }
  }

  sends(sessionId: string, message: Buffer, pass: () => void): void {
    const [, domain, verb, what] = methodPattern.exec(message.toString('latin1', 0, searchedBytes)) ?? [];
    const session = this.#sessions.get(sessionId);
    if (!session || !verb) {
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
