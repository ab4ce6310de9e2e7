import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Finding, fail, ok, warn } from './finding.ts';

/** A busy page in a Chromium of its own, display included. */
const memoryPerSessionMiB = 400;
const mebibyte = 1024 * 1024;

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 11)) return ok(`Node.js ${version}`);
  return fail(`Node.js ${version} is too old`, 'run `scripts/setup`, then use `npm run turnpike doctor`');
}

export function checkPlatform(): Finding {
  const release = readText('/etc/os-release');
  const { ID, VERSION_ID, PRETTY_NAME = process.platform } = parseEnv(release);
  if (process.platform !== 'linux')
    return fail(PRETTY_NAME, 'browsers are sealed by Linux; use Debian 12 or later');
  if (ID === 'debian' && Number(VERSION_ID ?? 99) >= 12) return ok(PRETTY_NAME);
  return warn(`${PRETTY_NAME} is not Debian 12 or later`, 'it may work; the lines below say what does not');
}

export function checkUser(uid = process.getuid?.()): Finding {
  if (uid === 0) return ok('runs as root: each session gets a user id of its own');
  return ok(`runs as user ${uid}: sessions are apart by namespaces, under one user id`);
}

export function checkMemory(meminfo = readText('/proc/meminfo')): Finding {
  const availableMiB = Math.floor(Number(/^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1] ?? 0) / 1024);
  const seats = Math.floor(availableMiB / memoryPerSessionMiB);
  const what = `${availableMiB} MiB of memory available: about ${seats} sessions`;
  if (seats >= 2) return ok(what);
  return warn(what, `end other programs or add memory; a session takes about ${memoryPerSessionMiB} MiB`);
}

export function checkSharedMemory(): Finding {
  if (!existsSync('/dev/shm')) return fail('/dev/shm is missing', 'mount a tmpfs there');
  const { bsize, blocks } = statfsSync('/dev/shm');
  const sizeMiB = Math.floor((bsize * blocks) / mebibyte);
  if (sizeMiB >= 256) return ok(`/dev/shm has ${sizeMiB} MiB`);
  return warn(
    `/dev/shm has only ${sizeMiB} MiB`,
    '`mount -o remount,size=1g /dev/shm`; with Docker `--shm-size 1g`',
  );
}

export function checkControlGroups(root = '/sys/fs/cgroup'): Finding {
  if (existsSync(`${root}/cgroup.controllers`)) return ok('control groups version 2');
  return warn(
    existsSync(root) ? 'control groups version 1' : 'no control groups',
    'limits of memory and processors per session need version 2: boot with `systemd.unified_cgroup_hierarchy=1`',
  );
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
