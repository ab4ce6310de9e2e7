import { readFileSync } from 'node:fs';
import type { ControlGroup } from './control-group.ts';

/**
 * Above the host's own: when the machine runs out of memory the kernel takes a browser first. Below the 300
 * that Chromium gives its renderers: of one browser's processes the pages go first. Written by root, it is
 * also the least that the browser can set it to.
 */
const oomScoreAboveHost = 200;

/**
 * Runs as the host's user before anything of the sandbox does: what it becomes is in the control group, and
 * last to be spared by the kernel, from its first instruction on. Node cannot start a process inside a group,
 * and its `uid` option drops root before the program could enter one by itself: so root's shell enters it,
 * and `setpriv` drops root after that.
 */
const script = `
while [ "$1" != -- ]; do echo $$ >"$1" || exit 1; shift; done
shift
echo "$1" 2>/dev/null >/proc/self/oom_score_adj
shift
exec "$@"`;

export interface LaunchOptions {
  group: ControlGroup | undefined;
  /** The user and group id to run under; undefined: the host's own. */
  uid: number | undefined;
}

/** Program and arguments that run a command as a session's. */
export function launchCommand(command: readonly string[], { group, uid }: LaunchOptions): [string, string[]] {
  const drop =
    uid === undefined
      ? []
      : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--no-new-privs', '--'];
  const entrances = group?.entrances ?? [];
  return ['/bin/sh', ['-c', script, 'sh', ...entrances, '--', oomScore(), ...drop, ...command]];
}

function oomScore(): string {
  const own = Number(readFileSync('/proc/self/oom_score_adj', 'latin1'));
  return String(Math.min(1000, own + oomScoreAboveHost));
}
