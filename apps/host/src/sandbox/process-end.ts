import { setTimeout as delay } from 'node:timers/promises';
import { readStat } from './process-stat.ts';

const pollMs = 2;
const patienceMs = 10_000;

export function killProcess(pid: number): void {
  signal(pid, 'SIGKILL');
}

export function killProcessGroup(leader: number): void {
  signal(-leader, 'SIGKILL');
}

/** For a process that is not our child, there is no event to wait for. */
export function untilGone(pid: number): Promise<void> {
  return until(() => readStat(pid) === undefined, `Process ${pid} does not end`);
}

export function untilGroupGone(leader: number): Promise<void> {
  return until(() => !signal(-leader, 0), `Process group ${leader} does not end`);
}

/** False when there is nobody to take it. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

async function until(reached: () => boolean, complaint: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!reached()) {
    if (performance.now() > deadline) throw new Error(complaint);
    await delay(pollMs);
  }
}
