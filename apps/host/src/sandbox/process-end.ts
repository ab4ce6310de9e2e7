import { setTimeout as delay } from 'node:timers/promises';
import { readStat } from './process-stat.ts';

const pollMs = 2;
const timeoutMs = 10_000;

export function killProcess(pid: number): void {
  signal(pid, 'SIGKILL');
}

export function killProcessGroup(leader: number): void {
  signal(-leader, 'SIGKILL');
}

/** Polls, because only children have an exit event. */
export function untilGone(pid: number): Promise<void> {
  return until(() => readStat(pid) === undefined, `Process ${pid} does not end`);
}

export function untilGroupGone(leader: number): Promise<void> {
  return until(() => !signal(-leader, 0), `Process group ${leader} does not end`);
}

/** False: there is no such process. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

async function until(reached: () => boolean, message: string): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!reached()) {
    if (performance.now() > deadline) throw new Error(message);
    await delay(pollMs);
  }
}
