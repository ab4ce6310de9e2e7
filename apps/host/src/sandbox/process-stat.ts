import { readFileSync } from 'node:fs';

export interface ProcessStat {
  parent: number;
  /** In clock ticks since the system came up: tells a process from a later one with the same pid. */
  startTime: string;
}

/**
 * What proc_pid_stat(5) says of a process, or undefined when it is no more. A zombie is no more: nothing is
 * left of it but a number that its parent has yet to read.
 */
export function readStat(pid: number): ProcessStat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name before it may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, startTime] = [fields[0], fields[1], fields[19]];
  if (state === 'Z' || state === 'X' || startTime === undefined) return undefined;
  return { parent: Number(parent), startTime };
}
