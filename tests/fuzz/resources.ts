import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { descendsFrom, processTable } from '../fixtures/process/process-table.ts';

/** What a process holds, to be compared with what it held before. */
export interface Resources {
  descriptors: number;
  processes: number;
  residentMiB: number;
  /** Directories for sessions and the like. */
  temporaries: number;
}

export function resourcesOf(pid: number): Resources {
  const table = processTable();
  return {
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: [...table.keys()].filter((other) => descendsFrom(table, other, pid)).length,
    residentMiB: residentMiB(pid),
    temporaries: readdirSync(tmpdir()).length,
  };
}

export function residentMiB(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

/** Idle connections, kept-alive ones and caches may hold a little more than before. */
const slack = { descriptors: 4, processes: 0, residentMiB: 64, temporaries: 0 } as const;
const settleMs = 60_000;

/** Waits until everything is back; answers what is not, in words, after a minute. */
export async function settled(pid: number, before: Resources): Promise<{ after: Resources; left: string[] }> {
  const deadline = performance.now() + settleMs;
  for (;;) {
    const after = resourcesOf(pid);
    const left = (Object.keys(slack) as (keyof Resources)[])
      .filter((kind) => after[kind] > before[kind] + slack[kind])
      .map((kind) => `${kind}: ${after[kind]}, before ${before[kind]}`);
    if (left.length === 0 || performance.now() > deadline) return { after, left };
    await delay(500);
  }
}
