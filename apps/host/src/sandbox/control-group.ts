import { existsSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess } from './process-end.ts';

const pollMs = 2;
const patienceMs = 5000;

/** What holds one session's processes: a directory in version 2, one per controller in version 1. */
export class ControlGroup {
  readonly directories: readonly string[];

  constructor(directories: readonly string[]) {
    this.directories = directories;
  }

  /** A process enters by writing its id into each. */
  get entrances(): string[] {
    return this.directories.map((directory) => `${directory}/cgroup.procs`);
  }

  processes(): number[] {
    return [...new Set(this.directories.flatMap(processesIn))];
  }

  /** Whether the kernel has ended a process of it for want of memory. */
  get ranOutOfMemory(): boolean {
    return this.directories.some((directory) =>
      // Version 2's file, and version 1's.
      ['memory.events', 'memory.oom_control'].some((name) => oomKills(`${directory}/${name}`) > 0),
    );
  }

  /** Ends whatever is still in it, and resolves when it is gone itself. */
  async remove(): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!this.tryRemove()) {
      if (performance.now() > deadline) throw new Error(`The control group ${this.directories[0]} stays`);
      this.#kill();
      await delay(pollMs);
    }
  }

  /** False while something is in it. */
  tryRemove(): boolean {
    // All of them, whichever stays: a dying process leaves one after the other.
    return this.directories.map((directory) => tryRemove(directory)).every(Boolean);
  }

  #kill(): void {
    for (const directory of this.directories) {
      if (existsSync(`${directory}/pids.max`)) tryWrite(`${directory}/pids.max`, '0'); // No more of them.
      if (existsSync(`${directory}/cgroup.kill`)) tryWrite(`${directory}/cgroup.kill`, '1');
      else for (const pid of processesIn(directory)) killProcess(pid);
    }
  }
}

function oomKills(file: string): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(file, 'latin1'))?.[1] ?? 0);
  } catch {
    return 0; // Of the other version, or of another controller.
  }
}

function processesIn(directory: string): number[] {
  try {
    return readFileSync(`${directory}/cgroup.procs`, 'latin1').split('\n').filter(Boolean).map(Number);
  } catch {
    return []; // Another host swept it.
  }
}

/** A group with processes in it does not go; neither does, for a moment, one whose last process has just gone. */
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
    // Gone in the meantime; what counts is whether the group can be removed.
  }
}
