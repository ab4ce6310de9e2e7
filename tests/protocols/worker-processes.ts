import { readFileSync } from 'node:fs';
import { pidsOf } from '../isolation/session-group.ts';

/** Processes of this host's sessions, by the arguments that they run with. */
function processesWith(matches: (args: string[]) => boolean): number[] {
  return pidsOf('').filter((pid) => matches(argumentsOf(pid)));
}

function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
  } catch {
    return []; // It has ended.
  }
}

/** The workers of sessions, oldest first. The shells that start them have their arguments in one piece. */
export function workerProcesses(): number[] {
  return processesWith(
    (args) => args.includes('--input-type=module') && args.some((arg) => arg.includes('/workers/')),
  );
}

export function driverProcesses(): number[] {
  return processesWith(([program]) => program === '/usr/bin/chromedriver');
}
