import { signal } from './process-end.ts';
import { readStat } from './process-stat.ts';
import { childrenOf } from './zygotes.ts';

/** More are not looked for: a session may have fewer. */
const maxProcesses = 5000;

/**
 * Stops all processes below one, so that their files do not change, until it is disposed. A process is stopped before
 * its children are listed, so none escapes.
 */
export function stopProcesses(firstPid: number, { andItself = false } = {}): Disposable {
  const stopped: { pid: number; startTime: string }[] = [];
  const waiting = andItself ? [firstPid] : childrenOf(firstPid);
  for (let pid = waiting.pop(); pid !== undefined && stopped.length < maxProcesses; pid = waiting.pop()) {
    const stat = readStat(pid);
    if (!stat || !signal(pid, 'SIGSTOP')) continue;
    stopped.push({ pid, startTime: stat.startTime });
    waiting.push(...childrenOf(pid));
  }
  return {
    [Symbol.dispose]() {
      // The pid may have been reused.
      for (const { pid, startTime } of stopped)
        if (readStat(pid)?.startTime === startTime) signal(pid, 'SIGCONT');
    },
  };
}
