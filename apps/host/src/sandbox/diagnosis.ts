import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { limitsWithin, sandboxArguments } from './sandbox-arguments.ts';

export interface Problem {
  reason: string;
  /** With the command that helps. */
  advice: string;
}

/** Tries what every browser start does, as a user that has no privileges; undefined: it works. */
export async function findSandboxProblem(chromium: string): Promise<Problem | undefined> {
  try {
    await runSandboxed(chromium, ['true'], 10_000);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { reason: 'bubblewrap is not there', advice: 'as root: `apt-get install bubblewrap`' };
    }
    return { reason: firstErrorLine(error), advice: namespaceAdvice() };
  }
}

/** Runs a command to its end in the sandbox that a browser would get, and answers its standard output. */
export async function runSandboxed(
  chromium: string,
  command: readonly string[],
  timeoutMs: number,
): Promise<string> {
  const args = sandboxArguments(chromium, limitsWithin(2 ** 30));
  const { stdout } = await promisify(execFile)('bwrap', [...args, '--', ...command], {
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    cwd: '/',
    ...unprivileged(),
  });
  return stdout;
}

/** Root is not what a browser runs as, and root would hide what only others may not do. */
export function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

/** The first line of what a failed command said. */
export function firstErrorLine(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('killed' in error && error.killed) return 'no answer in time';
  const stderr = 'stderr' in error ? String(error.stderr).trim() : '';
  return (stderr || error.message).split('\n')[0] ?? '';
}

export function namespaceAdvice(): string {
  if (sysctl('kernel/unprivileged_userns_clone') === '0') {
    return 'allow user namespaces: `sysctl -w kernel.unprivileged_userns_clone=1`';
  }
  if (sysctl('user/max_user_namespaces') === '0') {
    return 'allow user namespaces: `sysctl -w user.max_user_namespaces=15000`';
  }
  if (sysctl('kernel/apparmor_restrict_unprivileged_userns') === '1') {
    return 'let AppArmor allow user namespaces: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`';
  }
  return (
    'user namespaces must be allowed, and not in a chroot; in a Docker container that takes ' +
    '`--security-opt seccomp=unconfined --security-opt systempaths=unconfined`'
  );
}

export function controlGroupAdvice(): string {
  if (process.getuid?.() === 0) {
    return 'start it as a service with `Delegate=yes`, or by `systemd-run --scope -p Delegate=yes npm start`; in a container mount /sys/fs/cgroup writable';
  }
  return 'start it by `systemd-run --user --scope -p Delegate=yes npm start`, as a service with `Delegate=yes`, or as root';
}

function sysctl(name: string): string | undefined {
  try {
    return readFileSync(`/proc/sys/${name}`, 'utf8').trim();
  } catch {
    return undefined;
  }
}
