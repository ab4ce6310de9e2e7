import { readFileSync } from 'node:fs';
import type { ControlGroup } from './control-groups/control-group.ts';

/**
 * Higher than the host's score: when the machine runs out of memory the kernel kills a browser first. Lower than the 300
 * of Chromium's renderers: of one browser's processes the pages go first. When root sets it, the browser cannot lower it.
 */
const oomScoreAboveHost = 200;

/**
 * Runs as the host's user before the sandbox, so that the sandbox is in the control group and has its OOM score from
 * its first instruction. Node cannot start a process in a control group, and its `uid` option drops root before the
 * program could join one. So root's shell joins it, and then `setpriv` drops root.
 */
const script = `
while [ "$1" != -- ]; do echo $$ >"$1" || exit 1; shift; done
shift
echo "$1" 2>/dev/null >/proc/self/oom_score_adj
shift
exec "$@"`;

export interface LaunchOptions {
  group: ControlGroup | undefined;
  /** The user and group id to run under; undefined means the host's own. */
  uid: number | undefined;
}

/** The program and arguments that run a command in a session's control group, as its user. */
export function launchCommand(command: readonly string[], { group, uid }: LaunchOptions): [string, string[]] {
  const drop =
    uid === undefined
      ? []
      : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--'];
  const procsFiles = group?.procsFiles ?? [];
  return ['/bin/sh', ['-c', script, 'sh', ...procsFiles, '--', oomScore(), ...drop, ...command]];
}

function oomScore(): string {
  const own = Number(readFileSync('/proc/self/oom_score_adj', 'latin1'));
  return String(Math.min(1000, own + oomScoreAboveHost));
}
