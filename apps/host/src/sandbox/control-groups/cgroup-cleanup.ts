import { spawn } from 'node:child_process';
import { exitOf } from '../child-streams.ts';

/**
 * Exits when it reads a line. At the end of its standard input, which comes however the host ends, it removes the
 * control groups. Browsers end with their host by themselves, but their control groups would stay until the next start.
 *
 * A group can be busy for a while: a machine that ends hundreds of browsers takes seconds. In version 2 the host has
 * moved into the group `turnpike-host`, and this process with it. It leaves that group last, when it is alone there and
 * no other host has sessions beside it. Version 2 has no processes beside groups with controllers, so it disables those.
 * Cleanups of two hosts would wait for each other there, so the one with the higher process id leaves it to the other.
 */
const script = `
read -r _ && exit
remove() {
  for group in "$1"*; do
    [ -d "$group" ] || continue
    rmdir "$group" && continue
    left=yes
    [ -e "$group/freezer.state" ] && echo THAWED > "$group/freezer.state" # What is frozen would not end.
    find "$group" -name cgroup.procs -exec cat {} + | while read -r pid; do kill -KILL "$pid"; done
    find "$group" -mindepth 1 -depth -type d -exec rmdir {} +
  done
}
leave() {
  [ -d "$1/turnpike-host" ] || return
  for group in "$1"/turnpike-*-*; do [ -d "$group" ] && return; done
  while read -r pid; do
    [ "$pid" = $$ ] && continue
    [ "$pid" -lt $$ ] && grep -q "$0" "/proc/$pid/cmdline" && { left=; return; }
    left=yes
  done < "$1/turnpike-host/cgroup.procs"
  [ "$left" ] && return
  for controller in memory pids cpu; do echo "-$controller" > "$1/cgroup.subtree_control"; done
  echo $$ > "$1/cgroup.procs"
  rmdir "$1/turnpike-host" || left=yes # The host is still ending, though it is listed no more.
}
tries=600
while [ $tries -gt 0 ]; do
  left=
  for prefix in "$@"; do remove "$prefix"; done
  [ "$left" ] || for prefix in "$@"; do leave "\${prefix%/*}"; done
  [ "$left" ] || exit 0
  tries=$((tries - 1))
  sleep 0.1
done 2>/dev/null`;

/** Starts a process that outlives this one and then removes the control groups whose paths start with `prefixes`. */
export function startCgroupCleanup(prefixes: readonly string[]): { close(): Promise<void> } {
  const child = spawn('/bin/sh', ['-c', script, 'turnpike-cgroup-cleanup', ...prefixes], {
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
