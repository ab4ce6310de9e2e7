import { readFileSync } from 'node:fs';
import { descendsFrom, processTable } from '../../../../tests/fixtures/process/process-table.ts';

/** For tests only: the main process of each browser that this process runs. */
export function browserProcesses(): number[] {
  const table = processTable();
  return [...table.values()]
    .filter(({ pid, name }) => name === 'chromium' && descendsFrom(table, pid, process.pid) && isMain(pid))
    .map(({ pid }) => pid);
}

/** A process that is exiting has an empty command line before it is a zombie: it may be any process of a browser. */
function isMain(pid: number): boolean {
  try {
    const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
    return commandLine !== '' && !commandLine.includes('--type=');
  } catch {
    return false; // Gone in the meantime.
  }
}
