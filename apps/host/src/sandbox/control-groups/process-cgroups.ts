export const controllers = ['memory', 'pids', 'cpu'] as const;
/** In version 1 the freezer is a controller of its own; in version 2 every group has one. */
export const controllersV1 = [...controllers, 'freezer'] as const;
export type CgroupController = (typeof controllersV1)[number];

/**
 * The control groups of a process, as directories: one in version 2, one per controller in version 1. Sessions' groups
 * are created below the host's, so that limits of the host as a whole (of a service unit or a container) apply to its
 * browsers too.
 */
export type ProcessCgroups =
  | { version: 2; directory: string }
  | { version: 1; directories: Readonly<Partial<Record<CgroupController, string>>> };

interface Mount {
  root: string;
  point: string;
  type: string;
  options: readonly string[];
}

/** Parses `/proc/<pid>/cgroup` and `/proc/<pid>/mountinfo`; undefined if there are no control groups. */
export function parseProcessCgroups(membership: string, mountinfo: string): ProcessCgroups | undefined {
  const mounts = mountinfo.split('\n').filter(Boolean).map(parseMount);
  const lines = membership.split('\n').filter(Boolean).map(parseMembership);
  const directories: Partial<Record<CgroupController, string>> = {};
  for (const controller of controllersV1) {
    const line = lines.find(({ names }) => names.includes(controller));
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    const directory = line && mount && below(mount, line.path);
    if (directory !== undefined) directories[controller] = directory;
  }
  // Where both versions are mounted, version 2 has only the controllers that version 1 does not use.
  if (controllers.some((controller) => directories[controller] !== undefined))
    return { version: 1, directories };
  const line = lines.find(({ names }) => names.length === 0);
  const mount = mounts.find(({ type }) => type === 'cgroup2');
  const directory = line && mount && below(mount, line.path);
  return directory === undefined ? undefined : { version: 2, directory };
}

/** proc_pid_mountinfo(5): `36 35 98:0 /root /point options [optional…] - type source superoptions` */
function parseMount(line: string): Mount {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root = '', point = ''] = before.split(' ');
  const [type = '', , options = ''] = after.split(' ');
  return { root: unescapeOctal(root), point: unescapeOctal(point), type, options: options.split(',') };
}

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
}

/** cgroups(7): `4:cpu,cpuacct:/path`, with no names in version 2 */
function parseMembership(line: string): { names: string[]; path: string } {
  const [, names = '', ...path] = line.split(':');
  return { names: names.split(',').filter(Boolean), path: path.join(':') };
}

/** The mounted directory of a group. A container may see only part of the tree, but paths from its root. */
function below({ root, point }: Mount, path: string): string | undefined {
  if (path.startsWith('/..')) return undefined;
  if (root === '/') return path === '/' ? point : `${point}${path}`;
  if (path === root) return point;
  return path.startsWith(`${root}/`) ? `${point}${path.slice(root.length)}` : undefined;
}
