import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { memoryPerSeatMiB } from '@turnpike/host/config';
import { type Finding, fail, ok, warn } from './finding.ts';

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 24 || (major === 24 && minor >= 11)) return ok(`Node.js ${version}`);
  return fail(`Node.js ${version} is too old`, 'run `scripts/setup`, then use `npm run turnpike doctor`');
}

export function checkPlatform(): Finding {
  const release = readText('/etc/os-release');
  const { ID, VERSION_ID, PRETTY_NAME = process.platform } = parseEnv(release);
  if (process.platform !== 'linux')
    return fail(PRETTY_NAME, 'browsers are sandboxed by Linux; use Debian 12 or later');
  if (ID === 'debian' && Number(VERSION_ID ?? 99) >= 12) return ok(PRETTY_NAME);
  return warn(`${PRETTY_NAME} is not Debian 12 or later`, 'it may work; the lines below say what does not');
}

export function checkMemory(seats: number, meminfo = readText('/proc/meminfo')): Finding {
  const availableMiB = Math.floor(Number(/^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1] ?? 0) / 1024);
  const room = Math.floor(availableMiB / memoryPerSeatMiB);
  const what = `${availableMiB} MiB of memory available: room for about ${room} sessions, and ${seats} seats`;
  // Seats follow from all of the memory, and some of it is always in use.
  if (room >= 2 && room >= seats / 2) return ok(what);
  return warn(what, `end other programs, add memory or set TURNPIKE_HOST_SEATS to ${Math.max(1, room)}`);
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
