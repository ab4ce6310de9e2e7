import { readFileSync } from 'node:fs';

export interface ProcessStat {
  parent: number;
  /** In clock ticks since boot: tells a process from a later one with the same pid. */
  startTime: string;
}

/**
 * Reads proc_pid_stat(5). Returns undefined if the process has ended. A zombie has ended too: only its exit code is
 * left.
 */
export function readStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The process name before it may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, startTime] = [fields[0], fields[1], fields[19]];
  if (state === 'Z' || state === 'X' || startTime === undefined) return undefined;
  return { parent: Number(parent), startTime };
}
