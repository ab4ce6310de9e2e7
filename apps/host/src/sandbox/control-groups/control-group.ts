import { existsSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess } from '../process-end.ts';
import { Freezer } from './freezer.ts';
import { GroupMemory } from './group-memory.ts';

const pollMs = 2;
const timeoutMs = 5000;

/** One session's control group: a directory in version 2, one per controller in version 1. */
export class ControlGroup {
  readonly directories: readonly string[];

  constructor(directories: readonly string[]) {
    this.directories = directories;
  }

  /** A process joins the group by writing its id into each of these files. */
  get procsFiles(): string[] {
    return this.directories.map((directory) => `${directory}/cgroup.procs`);
  }

  /** Undefined if its processes cannot be frozen. */
  get freezer(): Freezer | undefined {
    return Freezer.of(this.directories);
  }

  /** Undefined if its memory is not counted. */
  get memory(): GroupMemory | undefined {
    return GroupMemory.of(this.directories);
  }

  processes(): number[] {
    return [...new Set(this.directories.flatMap(processesIn))];
  }

  /** Whether the kernel killed a process of the group because it ran out of memory. */
  get ranOutOfMemory(): boolean {
    return this.directories.some((directory) =>
      // Version 2's file, and version 1's.
      ['memory.events', 'memory.oom_control'].some((name) => oomKills(`${directory}/${name}`) > 0),
    );
  }

  /** Kills the remaining processes and resolves when the group is removed. */
  async remove(): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!this.tryRemove()) {
      if (performance.now() > deadline)
        throw new Error(`The control group ${this.directories[0]} cannot be removed`);
      this.#kill();
      await delay(pollMs);
    }
  }

  /** False while it has processes. */
  tryRemove(): boolean {
    // Tries all directories: an exiting process leaves one after the other. A group goes after those below it.
    const directories = this.directories.flatMap((directory) => withNested(directory).reverse());
    return directories.map((directory) => tryRemove(directory)).every(Boolean);
  }

  #kill(): void {
    this.freezer?.thaw(); // What is frozen would not end.
    for (const directory of this.directories.flatMap(withNested)) {
      if (existsSync(`${directory}/pids.max`)) tryWrite(`${directory}/pids.max`, '0'); // Prevents new processes.
      if (existsSync(`${directory}/cgroup.kill`)) tryWrite(`${directory}/cgroup.kill`, '1');
      else for (const pid of processesIn(directory)) killProcess(pid);
    }
  }
}

/** A group and the groups below it. Sessions make none, but one that is left behind may have some. */
function withNested(directory: string): string[] {
  try {
    // A directory has a link from itself, from its parent and from each directory in it.
    if (statSync(directory).nlink <= 2) return [directory];
    const entries = readdirSync(directory, { withFileTypes: true });
    const nested = entries.filter((entry) => entry.isDirectory());
    return [directory, ...nested.flatMap(({ name }) => withNested(`${directory}/${name}`))];
  } catch {
    return []; // Another host removed it.
  }
}

function oomKills(file: string): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0; // The file belongs to the other version or to another controller.
  }
}

function processesIn(directory: string): number[] {
  try {
    return readFileSync(`${directory}/cgroup.procs`, 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return []; // Another host removed it.
  }
}

/** False while the group has processes, and for a moment after its last process has exited. */
function tryRemove(directory: string): boolean {
  try {
    rmdirSync(directory);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    if (code === 'EBUSY') return false;
    throw error;
  }
}

function tryWrite(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch {
    // It is gone. All that counts is whether the group can be removed.
  }
}
