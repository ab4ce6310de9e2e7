import { readdirSync, readFileSync } from 'node:fs';
import { ControlGroup } from '../../apps/host/src/sandbox/control-groups/control-group.ts';
import {
  type CgroupController,
  parseProcessCgroups,
} from '../../apps/host/src/sandbox/control-groups/process-cgroups.ts';
import { descendsFrom, processTable } from '../fixtures/process/process-table.ts';

/** The control group of a running session, as the kernel reports it. */
export interface SessionGroup {
  directories: readonly string[];
  processes(): number[];
  memoryCap(): number;
  memoryBytes(): number;
  /** How many processes the kernel took because the cap was met. */
  memoryKills(): number;
  processCap(): number;
  processCount(): number;
  /** How many times it was refused another process. */
  refusedForks(): number;
  cpuWeight(): number;
}

const files = {
  1: {
    memoryCap: ['memory', 'memory.limit_in_bytes'],
    memoryBytes: ['memory', 'memory.usage_in_bytes'],
    memoryKills: ['memory', 'memory.oom_control', 'oom_kill'],
    processCap: ['pids', 'pids.max'],
    processCount: ['pids', 'pids.current'],
    refusedForks: ['pids', 'pids.events', 'max'],
    cpuWeight: ['cpu', 'cpu.shares'],
  },
  2: {
    memoryCap: ['memory', 'memory.max'],
    memoryBytes: ['memory', 'memory.current'],
    memoryKills: ['memory', 'memory.events', 'oom_kill'],
    processCap: ['pids', 'pids.max'],
    processCount: ['pids', 'pids.current'],
    refusedForks: ['pids', 'pids.events', 'max'],
    cpuWeight: ['cpu', 'cpu.weight'],
  },
} as const;

export function groupOf(pid: number): SessionGroup {
  const own = parseProcessCgroups(
    readFileSync(`/proc/${pid}/cgroup`, 'utf8'),
    readFileSync('/proc/self/mountinfo', 'utf8'),
  );
  if (!own) throw new Error('there are no control groups');
  const place = (controller: CgroupController): string =>
    (own.version === 2 ? own.directory : own.directories[controller]) ?? '';
  const number = (what: keyof (typeof files)[1]) => () => {
    const [controller, file, key] = files[own.version][what];
    const text = readFileSync(`${place(controller)}/${file}`, 'latin1');
    return Number(key ? new RegExp(`^${key} (\\d+)$`, 'm').exec(text)?.[1] : text);
  };
  const directories = [...new Set((['memory', 'pids', 'cpu'] as const).map(place))];
  return {
    directories,
    processes: () => new ControlGroup(directories).processes(),
    memoryCap: number('memoryCap'),
    memoryBytes: number('memoryBytes'),
    memoryKills: number('memoryKills'),
    processCap: number('processCap'),
    processCount: number('processCount'),
    refusedForks: number('refusedForks'),
    cpuWeight: number('cpuWeight'),
  };
}

/** Pids of a program that descends from this process, oldest first. */
export function pidsOf(name: string, ancestor = process.pid): number[] {
  const table = processTable();
  return [...table.values()]
    .filter((entry) => entry.name.startsWith(name) && descendsFrom(table, entry.pid, ancestor))
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);
}

/** Directories of sessions' control groups, of hosts whose process id this is. */
export function groupsOfHost(pid: number): string[] {
  const own = parseProcessCgroups(
    readFileSync('/proc/self/cgroup', 'utf8'),
    readFileSync('/proc/self/mountinfo', 'utf8'),
  );
  if (!own) return [];
  const parents = own.version === 2 ? [own.directory] : [...new Set(Object.values(own.directories))];
  return parents.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.startsWith(`turnpike-${pid}-`))
      .map((name) => `${parent}/${name}`),
  );
}
