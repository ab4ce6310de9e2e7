import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 2;

/** A file of each version: what is written to it, and where it says that all processes are frozen. */
const versions = [
  { file: 'freezer.state', freeze: 'FROZEN', thaw: 'THAWED', state: 'freezer.state', frozen: /^FROZEN$/m },
  { file: 'cgroup.freeze', freeze: '1', thaw: '0', state: 'cgroup.events', frozen: /^frozen 1$/m },
] as const;

/** Stops all processes of a control group, and lets them go on. A process that starts meanwhile is stopped too. */
export class Freezer {
  readonly #directory: string;
  readonly #version: (typeof versions)[number];

  private constructor(directory: string, version: (typeof versions)[number]) {
    this.#directory = directory;
    this.#version = version;
  }

  /** Undefined if the kernel or its settings have none. */
  static of(directories: readonly string[]): Freezer | undefined {
    for (const directory of directories)
      for (const version of versions)
        if (existsSync(`${directory}/${version.file}`)) return new Freezer(directory, version);
    return undefined;
  }

  /** Resolves to whether all are stopped. If they are not in time, they go on. */
  async freeze(timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    try {
      this.#write(this.#version.freeze);
      while (!this.isFrozen) {
        if (performance.now() > deadline) {
          this.thaw();
          return false;
        }
        await delay(pollMs);
      }
      return true;
    } catch {
      this.thaw();
      return false; // It is gone.
    }
  }

  /** Does nothing if nothing is frozen, or the group is gone. */
  thaw(): void {
    try {
      this.#write(this.#version.thaw);
    } catch {
      // It is gone.
    }
  }

  get isFrozen(): boolean {
    const { state, frozen } = this.#version;
    return frozen.test(readFileSync(`${this.#directory}/${state}`, 'latin1'));
  }

  #write(value: string): void {
    writeFileSync(`${this.#directory}/${this.#version.file}`, value);
  }
}
