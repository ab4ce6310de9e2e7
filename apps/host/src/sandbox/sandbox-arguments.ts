import { dirname } from 'node:path';
import { fontsInside, insideHome } from './inside-paths.ts';

/** The user id inside the sandbox. */
const insideId = '1000';
const policiesInside = '/etc/chromium/policies/managed/turnpike.json';

export interface SandboxLimits {
  /** For everything that a browser writes: its profile, downloads and temporary files. */
  scratchBytes: number;
  sharedMemoryBytes: number;
}

/** Open descriptors whose content becomes a file inside. */
interface DataDescriptors {
  policies?: number | undefined;
  fonts?: number | undefined;
}

/** The file systems are in memory. Even when they are full, half of a session's memory is left for its processes. */
export function limitsWithin(memoryBytes: number): SandboxLimits {
  const quarter = Math.floor(memoryBytes / 4);
  return { scratchBytes: quarter, sharedMemoryBytes: quarter };
}

/**
 * Arguments of bubblewrap: new namespaces of every kind, the system's programs read-only, no file of the host, no
 * network but loopback. Chromium nests its own sandbox in this one, so user namespaces stay allowed inside. Its policies
 * and its fonts come as open descriptors: the sandbox's user may not be able to read a path.
 */
export function sandboxArguments(
  program: string,
  limits: SandboxLimits,
  { policies, fonts }: DataDescriptors = {},
): string[] {
  return [
    ...['--unshare-all', '--unshare-user', '--die-with-parent', '--new-session'],
    ...['--uid', insideId, '--gid', insideId, '--hostname', 'desktop'],
    ...['--clearenv', '--setenv', 'HOME', insideHome, '--setenv', 'PATH', '/usr/bin'],
    ...['--setenv', 'LANG', 'C.UTF-8', '--setenv', 'DBUS_SESSION_BUS_ADDRESS', 'disabled:'],
    ...system(program),
    ...data(policies, policiesInside),
    ...data(fonts, fontsInside),
    ...['--proc', '/proc', '--dev', '/dev'],
    ...scratch('/dev/shm', limits.sharedMemoryBytes, '1777'),
    ...['--remount-ro', '/dev'],
    ...scratch(insideHome, limits.scratchBytes, '0700'),
    ...['--perms', '1777', '--dir', `${insideHome}/tmp`, '--symlink', `${insideHome}/tmp`, '/tmp'],
    ...['--remount-ro', '/', '--chdir', insideHome],
  ];
}

function system(program: string): string[] {
  const outsideUsr = program.startsWith('/usr/') ? [] : ['--ro-bind', dirname(program), dirname(program)];
  return [
    ...['--ro-bind', '/usr', '/usr', '--size', '4096', '--tmpfs', '/usr/local', '--remount-ro', '/usr/local'],
    ...['bin', 'lib', 'lib64'].flatMap((name) => ['--symlink', `usr/${name}`, `/${name}`]),
    ...['/etc/fonts', '/etc/ld.so.cache', '/etc/alternatives', '/var/cache/fontconfig'].flatMap((path) => [
      '--ro-bind-try',
      path,
      path,
    ]),
    ...outsideUsr,
  ];
}

function data(descriptor: number | undefined, path: string): string[] {
  return descriptor === undefined ? [] : ['--ro-bind-data', String(descriptor), path];
}

function scratch(path: string, bytes: number, mode: string): string[] {
  return ['--perms', mode, '--size', String(bytes), '--tmpfs', path];
}
