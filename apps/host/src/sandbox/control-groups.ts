import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { ControlGroup } from './control-group.ts';
import { checkControllers, enableControllers } from './control-groups-v2.ts';
import {
  type CgroupController,
  controllers,
  type ProcessCgroups,
  parseProcessCgroups,
} from './process-cgroups.ts';
import { readStat } from './process-stat.ts';

export interface Caps {
  memoryBytes: number;
  /** Threads count. */
  processes: number;
}

/**
 * A session weighs half of one ordinary process, however many it runs: a busy one slows neither the host nor
 * its neighbours by more than that.
 */
const weights = { v1: 512, v2: 50 };

/** Swap would only make a bomb slower. */
const settings = {
  1: {
    memory: ({ memoryBytes }: Caps) => [
      ['memory.limit_in_bytes', memoryBytes, 'required'],
      ['memory.memsw.limit_in_bytes', memoryBytes, 'if there'],
    ],
    pids: ({ processes }: Caps) => [['pids.max', processes, 'required']],
    cpu: () => [['cpu.shares', weights.v1, 'required']],
  },
  2: {
    memory: ({ memoryBytes }: Caps) => [
      ['memory.max', memoryBytes, 'required'],
      ['memory.swap.max', 0, 'if there'],
    ],
    pids: ({ processes }: Caps) => [['pids.max', processes, 'required']],
    cpu: () => [['cpu.weight', weights.v2, 'required']],
  },
} as const;

interface Parent {
  directory: string;
  controllers: readonly CgroupController[];
}

/** Process-wide: several hosts in one process (tests) share the names' first part. */
let lastNumber = 0;

/** Makes the control groups of this host's sessions. */
export class ControlGroups {
  readonly version: 1 | 2;
  readonly #parents: readonly Parent[];
  readonly #caps: Caps;

  private constructor(version: 1 | 2, parents: readonly Parent[], caps: Caps) {
    this.version = version;
    this.#parents = parents;
    this.#caps = caps;
  }

  /** Throws with the reason where the system offers none that this user may use. */
  static find(caps: Caps, own = readProcessCgroups()): ControlGroups {
    if (!own) throw new Error('there are no control groups');
    const groups = new ControlGroups(own.version, parentsOf(own), caps);
    groups.#rehearse();
    return groups;
  }

  /** What is capped; on version 1 a controller may be missing. */
  get controllers(): CgroupController[] {
    return this.#parents.flatMap((parent) => parent.controllers);
  }

  /** What the paths of this process's groups begin with. */
  get prefixes(): string[] {
    return this.#parents.map(({ directory }) => `${directory}/${ownPrefix()}`);
  }

  create(): ControlGroup {
    lastNumber += 1;
    const group = new ControlGroup(this.prefixes.map((prefix) => `${prefix}${lastNumber}`));
    try {
      for (const [index, directory] of group.directories.entries()) {
        mkdirSync(directory);
        for (const controller of this.#parents[index]?.controllers ?? []) this.#cap(directory, controller);
      }
    } catch (error) {
      group.tryRemove();
      throw error;
    }
    return group;
  }

  /** Ends and removes what hosts that are no more left behind. Resolves to the names. */
  async sweep(): Promise<string[]> {
    const names = new Set(this.#parents.flatMap(({ directory }) => readdirSync(directory).filter(isOrphan)));
    const swept = Array.from(names, (name) =>
      new ControlGroup(this.#parents.map(({ directory }) => `${directory}/${name}`)).remove(),
    );
    await Promise.all(swept);
    return [...names];
  }

  #cap(directory: string, controller: CgroupController): void {
    for (const [file, value, need] of settings[this.version][controller](this.#caps)) {
      try {
        writeFileSync(`${directory}/${file}`, String(value));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (need === 'required' || (code !== 'ENOENT' && code !== 'EACCES')) throw error;
      }
    }
  }

  /** What could fail with a session fails here. */
  #rehearse(): void {
    if (this.controllers.length === 0) throw new Error('there is no controller for memory or processes');
    this.create().tryRemove();
  }
}

/** What `find` would throw, without moving any process for it; undefined: nothing. */
export function findCapsProblem(caps: Caps, own = readProcessCgroups()): string | undefined {
  try {
    if (own?.version === 2) checkControllers(own.directory);
    else ControlGroups.find(caps, own);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** `turnpike-<pid>-<start time>-<n>`: a pid may come again, but not with the start time. */
const namePattern = /^turnpike-(\d+)-(\d+)-\d+$/;

function ownPrefix(): string {
  return `turnpike-${process.pid}-${readStat(process.pid)?.startTime}-`;
}

function isOrphan(name: string): boolean {
  const [, pid, started] = namePattern.exec(name) ?? [];
  return pid !== undefined && readStat(Number(pid))?.startTime !== started;
}

function readProcessCgroups(): ProcessCgroups | undefined {
  return parseProcessCgroups(
    readFileSync('/proc/self/cgroup', 'utf8'),
    readFileSync('/proc/self/mountinfo', 'utf8'),
  );
}

function parentsOf(own: ProcessCgroups): Parent[] {
  if (own.version === 2) {
    const directory = enableControllers(own.directory);
    return [{ directory, controllers }];
  }
  const { directories } = own;
  // Several controllers may share one tree.
  return Array.from(new Set(Object.values(directories)), (directory) => ({
    directory,
    controllers: controllers.filter((controller) => directories[controller] === directory),
  }));
}
