import { readFileSync } from 'node:fs';
import { descendsFrom, processTable } from '../../../../tests/fixtures/process-table.ts';

/** For tests only: the first process of each browser that this one runs. */
export function browserProcesses(): number[] {
  const table = processTable();
  return [...table.values()]
    .filter(({ pid, name }) => name === 'chromium' && descendsFrom(table, pid, process.pid) && isFirst(pid))
    .map(({ pid }) => pid);
}

function isFirst(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--type=');
  } catch {
    return false; // Gone in the meantime.
  }
}
