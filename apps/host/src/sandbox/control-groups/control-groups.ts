import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readStat } from '../process-stat.ts';
import { ControlGroup } from './control-group.ts';
import { checkControllers, enableControllers } from './control-groups-v2.ts';
import {
  type CgroupController,
  controllers,
  controllersV1,
  type ProcessCgroups,
  parseProcessCgroups,
} from './process-cgroups.ts';

export interface Caps {
  memoryBytes: number;
  /** Includes threads. */
  processes: number;
}

/** A session gets half the CPU weight of one ordinary process, however many processes it runs. */
const weights = { v1: 512, v2: 50 };

/**
 * The files of each controller. A session that runs gets no swap beyond its limit: it would only make a memory bomb
 * slower. Version 2 gets some while it is reclaimed (`group-memory.ts`).
 */
const settings = {
  1: {
    memory: ({ memoryBytes }: Caps) => [
      ['memory.limit_in_bytes', memoryBytes, 'required'],
      ['memory.memsw.limit_in_bytes', memoryBytes, 'if there'],
    ],
    pids: ({ processes }: Caps) => [['pids.max', processes, 'required']],
    cpu: () => [['cpu.shares', weights.v1, 'required']],
    freezer: () => [],
  },
  2: {
    memory: ({ memoryBytes }: Caps) => [
      ['memory.max', memoryBytes, 'required'],
      ['memory.swap.max', 0, 'if there'],
    ],
    pids: ({ processes }: Caps) => [['pids.max', processes, 'required']],
    cpu: () => [['cpu.weight', weights.v2, 'required']],
    freezer: () => [],
  },
} as const;

interface Parent {
  directory: string;
  controllers: readonly CgroupController[];
}

/** Process-wide, because several hosts in one process (in tests) share the prefix of the names. */
let lastNumber = 0;

/** Creates the control groups of this host's sessions. */
export class ControlGroups {
  readonly version: 1 | 2;
  readonly #parents: readonly Parent[];
  readonly #caps: Caps;

  private constructor(version: 1 | 2, parents: readonly Parent[], caps: Caps) {
    this.version = version;
    this.#parents = parents;
    this.#caps = caps;
  }

  /** Throws with the reason where this user cannot create control groups. */
  static find(caps: Caps, host = readProcessCgroups()): ControlGroups {
    if (!host) throw new Error('there are no control groups');
    const groups = new ControlGroups(host.version, parentsOf(host), caps);
    groups.#tryCreate();
    return groups;
  }

  /** The controllers in use. In version 1 one may be missing. */
  get controllers(): CgroupController[] {
    return this.#parents.flatMap((parent) => parent.controllers);
  }

  /** The prefixes of the paths of this process's groups. */
  get prefixes(): string[] {
    return this.#parents.map(({ directory }) => `${directory}/${hostPrefix()}`);
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

  /** Kills and removes the groups of hosts that no longer run. Resolves to their names. */
  async removeOrphans(): Promise<string[]> {
    const names = new Set(this.#parents.flatMap(({ directory }) => readdirSync(directory).filter(isOrphan)));
    const removed = Array.from(names, (name) =>
      new ControlGroup(this.#parents.map(({ directory }) => `${directory}/${name}`)).remove(),
    );
    await Promise.all(removed);
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

  /** Creates a group, so that failures show before the first session. */
  #tryCreate(): void {
    if (!controllers.some((name) => this.controllers.includes(name)))
      throw new Error('there is no controller for memory or processes');
    this.create().tryRemove();
  }
}

/** Why `find` would throw, without moving any process; undefined if it would not. */
export function findCapsProblem(caps: Caps, host = readProcessCgroups()): string | undefined {
  try {
    if (host?.version === 2) checkControllers(host.directory);
    else ControlGroups.find(caps, host);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** `turnpike-<pid>-<start time>-<n>`: a pid can be reused, but not with the same start time. */
const namePattern = /^turnpike-(\d+)-(\d+)-\d+$/;

function hostPrefix(): string {
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

function parentsOf(host: ProcessCgroups): Parent[] {
  if (host.version === 2) {
    const directory = enableControllers(host.directory);
    return [{ directory, controllers }];
  }
  const { directories } = host;
  // Several controllers may share one tree.
  return Array.from(new Set(Object.values(directories)), (directory) => ({
    directory,
    controllers: controllersV1.filter((controller) => directories[controller] === directory),
  }));
}
