import { readdirSync, readFileSync } from 'node:fs';
import { readStat } from './process-stat.ts';

const checkMs = 2000;

/**
 * Watches Chromium's zygotes, the processes that it forks pages from. Chromium runs on without one, but can open no
 * page. Only Chromium is told of the exit, so this polls. Call it when the browser is up.
 */
export function watchZygotes(sandboxPid: number, onLoss: () => void): Disposable {
  const zygotes = findZygotes(sandboxPid);
  const timer = setInterval(() => {
    if (zygotes.some(({ pid, startTime }) => readStat(pid)?.startTime !== startTime)) onLoss();
  }, checkMs);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The browser is a child of the sandbox's first process, and its zygotes are children of the browser. */
function findZygotes(sandboxPid: number): { pid: number; startTime: string }[] {
  const candidates = childrenOf(sandboxPid).flatMap(childrenOf);
  return candidates.filter(isZygote).flatMap((pid) => {
    const stat = readStat(pid);
    return stat ? [{ pid, startTime: stat.startTime }] : [];
  });
}

export function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return []; // It has ended, or the kernel does not list children.
  }
}

function isZygote(pid: number): boolean {
  try {
    return /[\0 ]--type=zygote[\0 ]/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'));
  } catch {
    return false;
  }
}
