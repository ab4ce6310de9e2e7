import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { limitsWithin, sandboxArguments } from './sandbox-arguments.ts';

export interface Problem {
  reason: string;
  /** Contains the command that helps. */
  advice: string;
}

/** Tries to create a sandbox as an unprivileged user; undefined if it works. */
export async function findSandboxProblem(chromium: string): Promise<Problem | undefined> {
  try {
    await runSandboxed(chromium, ['true'], 10_000);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { reason: 'bubblewrap is not installed', advice: 'as root: `apt-get install bubblewrap`' };
    }
    return { reason: firstErrorLine(error), advice: namespaceAdvice() };
  }
}

/** The bit of CAP_SYS_PTRACE in a set of capabilities (capabilities(7)). */
const sysPtrace = 1n << 19n;

/**
 * Whether a root may open what runs under another user id: a session's files and display. Returns undefined if it may.
 */
export function findAccessProblem(status = readFileSync('/proc/self/status', 'utf8')): Problem | undefined {
  const userId = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1];
  const capabilities = BigInt(`0x${/^CapEff:\s+([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  if (userId !== '0' || capabilities & sysPtrace) return undefined;
  return {
    reason: 'this root has no CAP_SYS_PTRACE',
    advice: 'in a container: `--cap-add SYS_PTRACE`; in a systemd unit: add it to CapabilityBoundingSet',
  };
}

/** Runs a command in a browser's sandbox and returns its standard output. */
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

/** An unprivileged user, as browsers run under: what others may not do, root may. */
export function unprivileged(): { uid?: number; gid?: number } {
  return process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
}

/** The first line of a failed command's error output. */
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
