import { spawn } from 'node:child_process';
import { exitOf } from './child-streams.ts';

/**
 * Exits when it reads a line. At the end of its standard input, which comes however the host ends, it removes the
 * control groups. Browsers end with their host by themselves, but their control groups would stay until the next start.
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

/** Starts a process that outlives this one and then removes the control groups whose paths start with `prefixes`. */
export function startCgroupCleanup(prefixes: readonly string[]): { close(): Promise<void> } {
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...prefixes], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true, // Signals to the host's process group must not reach it.
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
