import type { Logger } from 'pino';
import { DisplaySocket } from '../display/display-socket.ts';
import { startCgroupCleanup } from './control-groups/cgroup-cleanup.ts';
import { ControlGroups } from './control-groups/control-groups.ts';
import { controllers } from './control-groups/process-cgroups.ts';
import { controlGroupAdvice, findAccessProblem, findSandboxProblem } from './diagnosis.ts';
import { findNetworkProblem } from './network.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
import { limitsWithin } from './sandbox-arguments.ts';
import { startUnsandboxed } from './unsandboxed.ts';

export interface SandboxSettings {
  /** `off` runs browsers without a sandbox, for development on systems without namespaces. */
  sandbox: 'on' | 'off';
  chromium: string;
  sessionMemoryBytes: number;
  sessionProcesses: number;
}

/** Creates the sandboxes of one host, with limits where the system allows it. */
export class Sandboxes {
  readonly #settings: SandboxSettings;
  readonly #logger: Logger;
  #groups: ControlGroups | undefined;
  #interfaces = false;
  #cgroupCleanup: { close(): Promise<void> } | undefined;

  constructor(settings: SandboxSettings, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
  }

  /** Removes what a crashed host left and logs what the system lacks. Call it before `start`. */
  async prepare(): Promise<void> {
    this.#groups = this.#findGroups();
    if (this.#groups) this.#cgroupCleanup = startCgroupCleanup(this.#groups.prefixes);
    const removed = (await this.#groups?.removeOrphans()) ?? [];
    if (removed.length > 0)
      this.#logger.warn({ groups: removed }, 'removed what an earlier host left behind');
    if (this.#settings.sandbox === 'off') {
      this.#logger.warn('TURNPIKE_SANDBOX=off: browsers run WITHOUT A SANDBOX, for development only');
      return;
    }
    const [problem, networkProblem] = await Promise.all([
      findSandboxProblem(this.#settings.chromium),
      findNetworkProblem(),
    ]);
    this.#interfaces = networkProblem === undefined;
    if (networkProblem) this.#logger.warn(networkProblem, 'pages are told that they are offline');
    const accessProblem = findAccessProblem();
    if (accessProblem)
      this.#logger.error(accessProblem, 'browsers with a display, files and profiles will fail here');
    if (problem) this.#logger.error(problem, 'browsers cannot be sandboxed here, so none will start');
  }

  async start(options: SandboxOptions): Promise<Sandbox> {
    const displaySocket = options.display ? DisplaySocket.create() : undefined;
    using undo = new DisposableStack();
    if (displaySocket) undo.use(displaySocket);
    const limits = limitsWithin(this.#settings.sessionMemoryBytes);
    const bounds = { limits, displaySocket, group: this.#groups?.create(), interfaces: this.#interfaces };
    if (this.#settings.sandbox === 'off') {
      this.#logger.warn('this browser runs WITHOUT A SANDBOX (TURNPIKE_SANDBOX=off)');
    }
    const start = this.#settings.sandbox === 'off' ? startUnsandboxed : startSandbox;
    const started = await start(options, bounds);
    undo.move();
    return started;
  }

  /** Call it when no sandbox is left. */
  async close(): Promise<void> {
    await this.#cgroupCleanup?.close();
    this.#cgroupCleanup = undefined;
  }

  #findGroups(): ControlGroups | undefined {
    const { sessionMemoryBytes: memoryBytes, sessionProcesses: processes } = this.#settings;
    try {
      const groups = ControlGroups.find({ memoryBytes, processes });
      const missing = controllers.filter((name) => !groups.controllers.includes(name));
      if (missing.length > 0) this.#logger.warn({ missing }, 'sessions are not capped in everything');
      return groups;
    } catch (error) {
      const { message } = error as Error;
      this.#logger.warn({ reason: message, advice: controlGroupAdvice() }, 'sessions run without caps');
      return undefined;
    }
  }
}
