import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 2;
const patienceMs = 10_000;

export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** For a process that is not our child, there is no event to wait for. */
export async function untilGone(pid: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (await isAlive(pid)) {
    if (performance.now() > deadline) throw new Error(`Process ${pid} does not end`);
    await delay(pollMs);
  }
}

/** A zombie is not alive: nothing is left of it but a number that its parent has yet to read. */
async function isAlive(pid: number): Promise<boolean> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    return !['Z', 'X'].includes(stat.charAt(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
