import { spawn } from 'node:child_process';
import { exitOf } from './child-streams.ts';

/**
 * Waits for a line, when nothing is to be done, or for the end of its standard input, which the kernel sees to
 * however the host ends. Browsers die with their host by themselves; their control groups do not, and nobody
 * else would remove them until the next start.
 */
const script = `
read -r _ && exit
tries=50
while [ $tries -gt 0 ]; do
  left=
  for directory in "$@"; do
    for group in "$directory"*; do
      [ -d "$group" ] || continue
      rmdir "$group" 2>/dev/null && continue
      left=yes
      for pid in $(cat "$group/cgroup.procs"); do kill -KILL "$pid"; done
    done
  done
  [ "$left" ] || exit 0
  tries=$((tries - 1))
  sleep 0.1
done 2>/dev/null`;

/** Removes, when this process is no more, the control groups whose paths start with one of `prefixes`. */
export function startCgroupCleanup(prefixes: readonly string[]): { close(): Promise<void> } {
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...prefixes], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true, // What is sent to the host's whole process group must not reach it.
  });
  child.unref();
  child.stdin.on('error', () => {});
  const exited = exitOf(child);
  return {
    async close() {
      child.ref();
      child.stdin.end('\n');
      await exited;
    },
  };
}
