import { dirname } from 'node:path';

/** User id inside the sandbox, whatever it is outside. */
const insideId = '1000';
const mebibyte = 2 ** 20;

export const insideHome = '/home/user';

export interface SandboxLimits {
  scratchBytes: number;
  sharedMemoryBytes: number;
}

export const defaultLimits: SandboxLimits = {
  scratchBytes: 1024 * mebibyte,
  sharedMemoryBytes: 1024 * mebibyte,
};

/**
 * What bubblewrap is told: every namespace new, the system's programs read-only, no file of the host, no
 * network but loopback. Chromium nests its own sandbox in this one, so user namespaces stay allowed inside.
 */
export function sandboxArguments(program: string, infoFd: number, limits = defaultLimits): string[] {
  return [
    ...['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session'],
    ...['--uid', insideId, '--gid', insideId, '--hostname', 'desktop'],
    ...['--clearenv', '--setenv', 'HOME', insideHome, '--setenv', 'PATH', '/usr/bin'],
    ...['--setenv', 'LANG', 'C.UTF-8', '--setenv', 'DBUS_SESSION_BUS_ADDRESS', 'disabled:'],
    ...system(program),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...scratch('/dev/shm', limits.sharedMemoryBytes, '1777'),
    ...['--remount-ro', '/dev'],
    ...scratch('/tmp', limits.scratchBytes, '1777'),
    ...scratch(insideHome, limits.scratchBytes, '0700'),
    ...['--remount-ro', '/'],
    ...['--chdir', insideHome, '--info-fd', String(infoFd)],
  ];
}

function system(program: string): string[] {
  const outsideUsr = program.startsWith('/usr/') ? [] : ['--ro-bind', dirname(program), dirname(program)];
  return [
    ...['--ro-bind', '/usr', '/usr', '--size', '4096', '--tmpfs', '/usr/local', '--remount-ro', '/usr/local'],
    ...['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['/etc/fonts', '/etc/ld.so.cache', '/var/cache/fontconfig'].flatMap((path) => [
      '--ro-bind-try',
      path,
      path,
    ]),
    ...outsideUsr,
  ];
}

function scratch(path: string, bytes: number, mode: string): string[] {
  return ['--perms', mode, '--size', String(bytes), '--tmpfs', path];
}
